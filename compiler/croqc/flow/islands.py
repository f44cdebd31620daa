"""What the text of an island of C++ or PTX may do to the order of a kernel. Must not know statements.

The text is not parsed, nor are the device functions that a kernel calls. Words that can end a path, keep it, or make it
wait for another one are enough to give it up, in what the text names, too: macros, functions, types with functions of
their own. What only computes, fences, or waits within a warp is harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Final

from croqc.sema.register_hint import register_hint
from croqc.syntax.cpp_tokens import WORD, blanked, silenced, uncommented
from croqc.syntax.device_text import with_macros


class Effect(Enum):
    NOTHING = "nothing"  # as far as its words say, which is worth a note
    HINT = "hint"  # to the hardware: certainly nothing
    COMMIT = "commit"  # it waits until all multiplies have read their operands
    CONTROL = "control"  # control flow or synchronisation: the path cannot be followed


_LEAVES: Final = (
    r"\b(?:return|break|continue|goto|throw|co_\w+)\b",
    r"\b_?[eE]xit\s*[(;]",  # `exit(0)`, `_Exit(0)`, and `exit;` of PTX
    r"\b(?:__|__builtin_)?(?:trap|brkpt|unreachable|abort|terminate)\s*[(;]",
    r"\bbra\s+[$\w]|\b(?:bra|brx)\.[\w.]+",  # jumps of PTX
    r"(?:^|[;\"{}]|@!?[%\w]+)\s*ret(?:\.uni)?\s*;",
)
_STAYS: Final = (
    r"\bwhile\b(?!\s*\(\s*(?:0|false)\s*\))",  # that of a macro, `do … while (0)`, is no loop
    r"\bfor\s*\([^;]*;\s*(?:1|true)?\s*;",  # no end: `for (;;)`
    r"\bfor\s*\([^;]*;[^;]*;\s*\)",  # nothing counts: it spins on what somebody else changes
)
_MEETS: Final = (
    r"\bbar\s*\.",
    r"barrier|Barrier",  # mbarrier, `__barrier_sync`, `barrier.cluster`, `cuda::barrier`
    r"__syncthreads",
    r"(?:\.|->|::)\s*(?:sync|wait|arrive|arrive_and_wait|arrive_and_drop)\s*\(",  # of cooperative groups
    r"\b(?:grid|cluster|block)_(?:sync|arrive|wait)",
)
_CONTROL: Final = re.compile("|".join((*_LEAVES, *_STAYS, *_MEETS)))
_INSIDE: Final = re.compile("|".join((*_LEAVES[1:3], *_STAYS, *_MEETS)))  # a function may return
_FUNCTION: Final = re.compile(r"\b([A-Za-z_]\w*)\s*\(([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*)\)[^;{}()]*\{")
_VALUES: Final = (
    r"void|bool|char|short|int|long|float|double|signed|unsigned|(?:std::)?u?int(?:8|16|32|64|ptr)_t|(?:std::)?size_t"
    r"|__half2?|half2?|(?:__)?nv_bfloat16[2]?|__nv_fp8_e[45]m[23]|(?:char|uchar|short|ushort|int|uint|float)[1-4]"
    r"|(?:long|ulong|longlong|ulonglong|double)[1-4]|dim3"
)
"""Types of C++ and CUDA that hold a value. Any other name may stand for a reference: a macro, a typedef, a template."""
_ITS_NAME: Final = r"(?:\s*\b[A-Za-z_]\w*)?\s*(?:\[[^\]]*\]\s*)*(?:=[^&]*)?"
_VALUE: Final = rf"\s*(?:(?:const|volatile|{_VALUES})\b\s*)+"
_BY_VALUE: Final = re.compile(
    rf"\s*|{_VALUE}{_ITS_NAME}|[^&()=]*\*\s*(?:(?:const|volatile|__restrict__|__restrict)\b\s*)*{_ITS_NAME}"
    rf"|(?=[^&]*\bconst\b){_VALUE}&{_ITS_NAME}"  # a constant reference
    rf"|{_VALUE}\(\s*\*\s*\w*\s*\)\s*\([^&()]*\)\s*"  # a pointer to a function
)
_BRACE: Final = re.compile(r"[{}]")
_BRACKET: Final = re.compile(r"[][(){}]")
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}
_DIRECTIVE: Final = re.compile(r"^[ \t]*#[ \t]*(?:pragma|line)\b(?:\\\n|[^\n])*$", re.MULTILINE)  # these change no text
_PRAGMA: Final = re.compile(r"\b_Pragma\s*\([^()]*\)")
_REACHES: Final = re.compile(
    r"^else\b|^[ \t]*#|(?:^|[;{}])\s*(?!(?:default|public|private|protected)\b)[A-Za-z_]\w*\s*:(?!:)",
    re.MULTILINE,
)
_OBJECT: Final = re.compile(
    r"\b(?:struct|class|union)\s+(\w+)[^;{}()]*\{|\b(\w+)\s*=\s*\[[^\[\];]*\][^;{}]*\{"  # a type; a lambda
)
_DECLARED: Final = re.compile(r"\b__(?:device|co_device)__\b[^;{}()]*?\b(\w+)\s*\([^;{}]*\)\s*(?:noexcept\s*)?;")
_JUMP: Final = re.compile(r"\b(?:goto|bra(?:\.uni)?)\s+([$%\w{}=]+)")
_GLUED: Final = re.compile(r'"\s*"')  # literals one behind the other are one
_NO_CALLS: Final = frozenset({"if", "for", "switch", "while", "return", "sizeof", "alignof", "decltype", "asm"})
_CALLED: Final = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_SETS_REGISTERS: Final = "setmaxnreg"
_COMMITS: Final = re.compile(r"(?:warpgroup_wait|wait_group)\s*<\s*0\s*>|wgmma\.wait_group[.\w]*\s+0")


def reaches_out(text: str) -> bool:
    """Whether a text of C++ means something else together with what stands around it: it leaves a bracket open, or
    closes another's, begins with `else`, ends within a statement, as with `if (x)`, has a label, or tells the
    preprocessor something about what follows."""
    code = _DIRECTIVE.sub("", blanked(text))
    plain = _PRAGMA.sub("", code).strip()
    open_ones: list[str] = []
    for each in _BRACKET.findall(plain):
        if each in _CLOSES:
            open_ones.append(_CLOSES[each])
        elif not open_ones or open_ones.pop() != each:
            return True
    ends = not plain or plain.endswith((";", "}"))
    return bool(open_ones) or not ends or _REACHES.search(plain) is not None


def effect_of(text: str, waiting: frozenset[str] = frozenset()) -> Effect:
    """What a text does. A call of one of the `waiting` functions waits."""
    code = silenced(text)
    if _CONTROL.search(_GLUED.sub("", uncommented(text))) or waiting.intersection(_CALLED.findall(code)):
        return Effect.CONTROL
    if _COMMITS.search(text):
        return Effect.COMMIT
    return Effect.NOTHING if register_hint(text) is None else Effect.HINT


def waiting_functions(text: str, objects: str, macros: Mapping[str, str]) -> frozenset[str]:
    """The functions of device code that may end a path, keep it, or make it wait for another one; also through others
    that they name, and through bodies of `macros`. Of a name with several bodies each counts. `objects`: all C++ of the
    file, whose types and lambdas do so by their name."""
    bodies = [*_bodies(_FUNCTION, text, macros), *_bodies(_OBJECT, objects, macros)]
    return _through(
        bodies, {name for name, body in bodies if _INSIDE.search(_GLUED.sub("", body)) or _jumps_back(body)}
    )


def register_functions(text: str, macros: Mapping[str, str]) -> frozenset[str]:
    """The instruction that changes how many registers a thread has, and the functions of device code that use it, also
    through others that they name."""
    bodies = [*_bodies(_FUNCTION, text, macros)]
    used = {name for name, body in bodies if _SETS_REGISTERS in _GLUED.sub("", body)}
    return _through(bodies, used) | {_SETS_REGISTERS}


def functions_in_sight(text: str, includes: bool, macros: Mapping[str, str]) -> frozenset[str]:
    """The functions of device code whose bodies are known, with those of all that they call. What nothing declares
    comes from CUDA, unless the file `includes` files of its own."""
    bodies = [*_bodies(_FUNCTION, text, macros)]
    known = {name for name, _ in bodies}
    hidden = frozenset(_DECLARED.findall(silenced(text))) - known
    unknown = set(hidden)
    if includes:
        called = {name for _, body in bodies for name in _CALLED.findall(silenced(body))}
        unknown |= {name for name in called - known - _NO_CALLS if not name.startswith("__")}
    return frozenset(known - _through(bodies, unknown))


def _through(bodies: list[tuple[str, str]], found: set[str]) -> frozenset[str]:
    """These names, and those whose bodies name one."""
    words = [(name, frozenset(WORD.findall(silenced(body)))) for name, body in bodies]
    while more := {name for name, named in words if not found.isdisjoint(named)} - found:
        found = found | more
    return frozenset(found)


def _bodies(heads: re.Pattern[str], text: str, macros: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The name in front of each body, and the body; behind it those of the macros that it names."""
    code = blanked(text)
    for found in heads.finditer(code):
        body = text[found.end() : _end_of_body(code, found.end())]
        yield next(name for name in found.groups() if name), with_macros(uncommented(body), macros)


def _jumps_back(body: str) -> bool:
    """Whether a jump of C++ or PTX goes to a label in front of it."""
    return any(
        re.search(rf"(?<!\w){re.escape(found[1])}\s*:(?!:)", body[: found.start()]) for found in _JUMP.finditer(body)
    )


def functions_by_value(text: str, macros: frozenset[str]) -> frozenset[str]:
    """The functions of device code whose parameters are surely values, pointers or constant references, in each of
    their bodies; what a macro takes part in is not sure."""
    taken = []
    for found in _FUNCTION.finditer(text):
        plain = macros.isdisjoint(WORD.findall(f"{found[1]} {found[2]}"))
        taken.append((found[1], plain and all(map(_BY_VALUE.fullmatch, found[2].split(",")))))
    return frozenset(name for name, _ in taken) - {name for name, by_value in taken if not by_value}


def parameters_by_reference(text: str, macros: frozenset[str]) -> frozenset[tuple[str, int]]:
    """The parameters of device functions, as name and number from 0, through which a body may write what it is handed.
    Where commas do not part them surely, all of the function."""
    found: set[tuple[str, int]] = set()
    for function in _FUNCTION.finditer(text):
        pieces = function[2].split(",")
        plain = macros.isdisjoint(WORD.findall(f"{function[1]} {function[2]}"))
        written = [number for number, piece in enumerate(pieces) if not plain or not _BY_VALUE.fullmatch(piece)]
        if written and re.search(r"[<(]", function[2]):
            written = list(range(len(pieces)))
        found |= {(function[1], number) for number in written}
    return frozenset(found)


def _end_of_body(code: str, start: int) -> int:
    """From behind an opening brace: where the one stands that closes it, or the end."""
    depth = 1
    for found in _BRACE.finditer(code, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return len(code)


def is_waiting(name: str) -> bool:
    """Whether a function of the toolchain makes its caller wait, by its name."""
    return _INSIDE.search(f"{name}(") is not None
