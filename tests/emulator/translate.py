"""Generated CUDA as C++ for the host: inline PTX becomes calls of the emulator, all else stays. Must not know PTX.

Lines keep their numbers, so that a place in the translation is one in the generated code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.emulator.instructions import NotModelledError, Operand, call_of

SHOWN_AS: Final = "generated.cu"  # the file name of a unit, and so of its lines in debug information

_ASM: Final = re.compile(r"\basm(?: volatile)?\(")
_LITERAL: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_KERNEL: Final = re.compile(
    r'extern "C" __global__ void (?:__cluster_dims__\((\d+), 1, 1\) )?'
    r"(?:__launch_bounds__|__maxnreg__)\([^)]*\)\n(\w+)\("
)
_SHARED: Final = re.compile(r"extern __shared__ __align__\(\d+\) u8 smem\[\];")
_TYPES: Final = {"pred": "bool", "b32": "uint32_t", "b64": "uint64_t"}


def translated(code: str, arch: str) -> str:
    """Raises NotModelledError, with the line, for an instruction that the emulator does not know."""
    kernels = _KERNEL.findall(code)
    text = _SHARED.sub("u8* const smem = emu::current->block->shared;", _without_asm(code))
    text = text.replace('extern "C" __global__', "__global__")  # the C library has names of its own
    number = int(re.sub(r"\D", "", arch)) * 10
    entries = "".join(
        f'    {{"{name}", [](void** emu_arguments) {{ emu::launch({name}, emu_arguments); }}, '
        f"emu::parameters_of({name}), {cluster or 1}}},\n"
        for cluster, name in kernels
    )
    return (
        f'#define __CUDA_ARCH__ {number}\n#include "emulator.h"\n#line 1\n{text}\n#line 1 "entries"\n'
        f"const emu::Entry emu::entries[] = {{\n{entries}    {{nullptr, nullptr, 0, 0}}}};\n"
    )


def _without_asm(code: str) -> str:
    found, at = [], 0
    while start := _ASM.search(code, at):
        end = _closing(code, start.end())
        stop = code.index(";", end) + 1
        statement = code[start.end() : end]
        found.append(code[at : start.start()])
        try:
            found.append(_calls(statement))
        except NotModelledError as error:
            line = code.count("\n", 0, start.start()) + 1
            raise NotModelledError(
                f"the emulator does not model '{error}', in line {line} of the generated code"
            ) from None
        found.append("\n" * code.count("\n", start.start(), stop))
        at = stop
    return "".join(found) + code[at:]


def _closing(code: str, at: int) -> int:
    """Where the bracket closes that was opened in front of `at`. Literals may hold any."""
    depth = 1
    while True:
        if code[at] == '"':
            literal = _LITERAL.match(code, at)
            assert literal is not None
            at = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
        at += 1


@dataclass(frozen=True)
class _Asm:
    """`template`: the instructions; `outputs` and `inputs`: the expressions of its operands, in order."""

    template: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]


def _parsed(statement: str) -> _Asm:
    """What stands between the brackets of an asm statement (GCC, extended asm)."""
    template = ""
    while literal := _LITERAL.match(statement.lstrip()):
        template += literal.group(1)
        statement = statement.lstrip()[literal.end() :]
    parts = []
    for part in _sections(statement)[1:3]:  # the third holds what is clobbered
        operands = []
        at = 0
        while constraint := _LITERAL.search(part, at):
            opened = part.index("(", constraint.end()) + 1
            at = _closing(part, opened)
            operands.append(part[opened:at].strip())
        parts.append(operands)
    outputs, inputs = (*parts, [], [])[:2]
    return _Asm(template, tuple(outputs), tuple(inputs))


def _sections(text: str) -> list[str]:
    """The parts between colons outside of brackets and literals."""
    found, at, start = [], 0, 0
    while at < len(text):
        if literal := _LITERAL.match(text, at):
            at = literal.end()
        elif text[at] == "(":
            at = _closing(text, at + 1) + 1
        else:
            if text[at] == ":":
                found.append(text[start:at])
                start = at + 1
            at += 1
    return [*found, text[start:]]


def _calls(statement: str) -> str:
    """The statement as a block: each operand evaluated once, then the instructions."""
    asm = _parsed(statement)
    count = len(asm.outputs)
    lines = [f"auto& p{number} = {text};" for number, text in enumerate(asm.outputs)]
    lines += [f"const auto p{number} = {text};" for number, text in enumerate(asm.inputs, count)]
    body = re.sub(r"^\s*\{(.*)\}\s*$", r"\1", asm.template)
    if not body.strip():
        return "{ }"
    for instruction in filter(None, (each.strip() for each in body.split(";"))):
        if declared := re.fullmatch(r"\.reg \.(\w+) (\w+)", instruction):
            lines.append(f"{_TYPES[declared.group(1)]} {declared.group(2)};")
        else:
            name, _, rest = instruction.partition(" ")
            lines.append(call_of(name, tuple(_operands(rest))) + ";")
    return f"{{ {' '.join(lines)} }}".replace("\n", " ")


def _operands(text: str) -> Iterator[Operand]:
    """`%1` is the variable p1; an address in brackets is what it holds, its coordinates an operand of their own."""
    for part in _split(text):
        if part.startswith("["):
            yield from _operands(part[1:-1])
        elif part.startswith("{"):
            items = ", ".join(map(str, _operands(part[1:-1])))
            yield Operand(f"emu::registers({items})", items)
        else:
            yield Operand(re.sub(r"%(\d+)", r"p\1", part))


def _split(text: str) -> Iterator[str]:
    """The parts between commas outside of brackets."""
    depth, part = 0, ""
    for char in text:
        depth += (char in "[{") - (char in "]}")
        if char == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += char
    if part.strip():
        yield part.strip()
