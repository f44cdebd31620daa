"""What a hover says of a copy or a multiply beyond its documentation: what moves where, and on which units. Markdown.

All is the model's but how a copy is made, which the compiler decides: `made` tells that where it is known. Must not
know LSP types or lower anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from croqc.sema.accumulator_registers import registers_of
from croqc.sema.describe import extents
from croqc.sema.model import CopyInfo, MmaInfo, Model, OperandKind, Unit, View
from croqc.sema.types import Storage
from croqc.syntax.tokens import Token
from croqc.targets.table import Instruction
from croqc.text.span import Span

Made = Mapping[Span, str]
"""How copies are made, in words, by the span of their statement, relative to the function."""

_STORAGES: Final = {  # what is visible to the host has a mirror on the device, which kernels use
    Storage.HOST: "global",
    Storage.GLOBAL: "global",
    Storage.SHARED: "shared",
    Storage.LOCAL: "local",
}
_UNITS: Final = {
    Unit.BLOCK: "all threads of the block",
    Unit.GROUP4: "a warpgroup",
    Unit.GROUP: "a warp",
    Unit.THREAD: "one thread",
    Unit.HOST: "the host",
}
_OPERANDS: Final = {OperandKind.SHARED: "from shared memory", OperandKind.REGISTER: "from registers"}


def not_known() -> Made:
    """Before anybody has compiled the function."""
    return {}


def operation_facts(model: Model, token: Token, made: Callable[[], Made] = not_known) -> str:
    """The facts of the copy or multiply that a word names; empty for every other word. `made` is asked for a copy
    alone."""
    for copy, moved in model.copies.items():
        if copy.span.start <= token.start and token.end <= copy.source.span.start:
            return _copy(model, moved, made().get(copy.span, ""))
    for multiply, info in model.multiplies.items():
        if multiply.span.start <= token.start and token.end <= multiply.acc.span.start:
            return _multiply(info)
    return ""


def _copy(model: Model, info: CopyInfo, made: str) -> str:
    size = "As many bytes as its sizes say" if info.bytes is None else f"{info.bytes:,} bytes"
    box = f"[{extents(info.box)}] {info.source.data.elem}"
    facts = [
        f"{size}, {_STORAGES[info.source_storage]} → {_STORAGES[info.dest_storage]}: {box}, by {_UNITS[info.unit]}."
    ]
    facts += [f"Made {made}."] if made else []
    facts += [line for view in (info.source, info.dest) if (line := _alignment(model, view))]
    facts += [f"Swizzled by {info.swizzle} bytes."] if info.swizzle else []
    facts += ["What the source does not cover becomes 0."] if info.zero_fill else []
    return " ".join(facts)


def _alignment(model: Model, view: View) -> str:
    info = next((one for one in model.buffers if one.symbol is view.base), None)
    if info is None or view.data.storage is not Storage.SHARED:
        return ""
    return f"`{view.base.name}` is aligned to {info.alignment} bytes." if view.base.name else ""


def _multiply(info: MmaInfo) -> str:
    shape = f"{info.m} × {info.n} × {info.k}"
    types = f"{info.elem_a} × {info.elem_b} → {info.elem_acc}"
    split = ", split over its four warps" if info.split else ""
    steps = -(-info.k // info.k_step)
    times = f"{steps} times `{info.instruction}`" if steps > 1 else f"`{info.instruction}`"
    facts = [f"{shape} (M × N × K), {types}, by {_UNITS[info.unit]}{split}: {times} of K {info.k_step}."]
    both = f"A and B are read {_OPERANDS[info.a]}."
    facts.append(both if info.a is info.b else f"A is read {_OPERANDS[info.a]}, B {_OPERANDS[info.b]}.")
    if info.instruction is Instruction.TCGEN05:
        facts.append("The accumulator lies in tensor memory.")
    else:
        facts.append(f"The accumulator takes {registers_of(info)} registers of each thread.")
    return " ".join(facts)
