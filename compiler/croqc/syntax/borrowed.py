"""Functions that people bring from CUDA C++ and what stands for them here: `__syncthreads()`, `printf`, `ceildiv`,
`expf`, `atomicAdd`, `__float2half` (reference, 1.3.11, 4.6, 4.7).

Must not judge where the word that is meant may stand, and knows nothing of a file's own device functions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from croqc.syntax import ast as t
from croqc.syntax.build import Builder, replace_fix
from croqc.syntax.keywords import ATOMICS, BUILTIN_MATH
from croqc.text.diagnostics import Fix
from croqc.text.record import record
from croqc.text.span import Span

_STATEMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "__syncthreads": ("sync.shared", "the barrier of the block"),
    "__syncwarp": ("sync.barrier : group", "the barrier of a warp"),
    "__threadfence": ("sync.fence : device", "the fence of the device"),
    "__threadfence_block": ("sync.fence : group", "the fence of the block"),
}
_DIVISIONS: Final = frozenset({"ceildiv", "divceil", "divup", "cdiv", "divroundup"})
_CONVERSIONS: Final[Mapping[str, str]] = {
    "__float2half": "__to<f16>", "__half2float": "__to<f32>",
    "__float2bfloat16": "__to<bf16>", "__bfloat162float": "__to<f32>",
}  # fmt: skip
_ATOMIC: Final = re.compile(r"atomic(Add|Sub|Exch|Max|Min|And|Or|Xor|CAS)")
_VALUE: Final = re.compile(r"(?<!%)%(?:hh|h|ll|l|z)?[diufgs]")  # a value as it is, without width or digits
_EMPTY: Final = '""'


@record
class Told:
    """Words for a borrowed function: what is missing, what is meant, and its fix."""

    message: str
    hint: str
    fix: Fix | None = None


def here_called(name: str) -> str | None:
    """The built-in function that takes the same arguments as one of C++: `__max` for `max` and `fmaxf`, `__fabs` for
    `abs`, `cdiv` for `ceil_div`, `__to<f16>` for `__float2half`."""
    if name in _CONVERSIONS:
        return _CONVERSIONS[name]
    if name.replace("_", "").lower() in _DIVISIONS:
        return "cdiv"
    bare = name.removeprefix("__") if name.endswith("f") else name
    plain = bare.removesuffix("f")
    words = (bare, plain, f"f{bare}", f"f{plain}", plain.removeprefix("f"))
    return next((f"__{word}" for word in words if f"__{word}" in BUILTIN_MATH), None)


def barrier(name: str) -> Told | None:
    """What is said of a barrier or a fence of CUDA."""
    if name not in _STATEMENTS:
        return None
    word, what = _STATEMENTS[name]
    return Told(f"there is no function '{name}'", f"{what} is '{word}'")


def function(b: Builder, name: t.Name, args: Sequence[t.Expr], whole: Span) -> Told | None:
    """What is said of `name(args)`, whose text is `whole`; None for a function that has no counterpart."""
    message = f"there is no function '{name.id}'"
    if word := here_called(name.id):
        return Told(message, f"did you mean '{word}'?", replace_fix(f"Change to '{word}'", name.span, word, guess=True))
    found = _ATOMIC.fullmatch(name.id)
    if found and args and f"__atomic_{found[1].lower()}" in ATOMICS:
        if not _is_element(args[0]):
            return Told(message, f"use '__atomic_{found[1].lower()}' with an element, as in 'x.at(i)'")
        if name.macro is not None:  # the text at the place is the macro's use
            return Told(message, f"use '__atomic_{found[1].lower()}'")
        listed = ", ".join([_element(b, args[0]), *(b.source(arg.span) for arg in args[1:])])
        better = f"__atomic_{found[1].lower()}({listed})"
        return Told(message, f"write '{better}'", replace_fix(f"Write '{better}'", whole, better))
    return None


def statement(b: Builder, name: t.Name, args: Sequence[t.Expr], whole: Span) -> Told | None:
    """What is said of the statement `name(args);`, or `name;`, of the text `whole` without its semicolon."""
    if (told := barrier(name.id)) is not None:
        word = _STATEMENTS[name.id][0]
        if args:
            return Told(told.message, f"{told.hint}, of all its threads: there are no masks")
        return Told(told.message, told.hint, replace_fix(f"Write '{word}'", whole, word))
    if name.id == "printf" and args:
        better = _printed(b, args) if name.macro is None else ""
        hint = f"write '{better}'" if better else "'print' takes the values themselves, as in 'print(\"n = \", n)'"
        return Told(
            "there is no function 'printf'", hint, replace_fix(f"Write '{better}'", whole, better) if better else None
        )
    return function(b, name, args, whole)


def _is_element(arg: t.Expr) -> bool:
    """Whether an argument is an element or its address: `&y[i]`, `y.at(i)`."""
    return isinstance(arg.operand if isinstance(arg, t.AddressOf) else arg, t.Chain)


def _element(b: Builder, arg: t.Expr) -> str:
    """The element whose address C++ takes: `y.at(i)` for `&y[i]` and `&y.at(i)`."""
    inner = arg.operand if isinstance(arg, t.AddressOf) else arg
    if isinstance(inner, t.Chain) and all(isinstance(suffix, t.Index) for suffix in inner.suffixes):
        places = [b.source(one.span) for suffix in inner.suffixes if isinstance(suffix, t.Index) for one in suffix.args]
        return f"{b.source(inner.base.span)}.at({', '.join(places)})"
    return b.source(inner.span)


def _printed(b: Builder, args: Sequence[t.Expr]) -> str:
    """The `print` or `println` of a `printf`; empty where its format asks for more than the values."""
    first, values = args[0], [b.source(arg.span) for arg in args[1:]]
    if not isinstance(first, t.Str) or len(first.parts) != 1 or not first.parts[0].startswith('"'):
        return ""
    text = first.parts[0][1:-1]
    word = "println" if text.endswith("\\n") and not text.endswith("\\\\n") else "print"
    pieces = _VALUE.split(text[:-2] if word == "println" else text)
    if len(pieces) != len(values) + 1 or any("%" in piece.replace("%%", "") for piece in pieces):
        return ""
    strings = ['"' + piece.replace("%%", "%") + '"' if piece else "" for piece in pieces]
    items = [item for pair in zip(strings, [*values, ""], strict=True) for item in pair if item]
    return f"{word}({', '.join(items) or _EMPTY})"
