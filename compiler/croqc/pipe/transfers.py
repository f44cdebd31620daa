"""Copies between global and shared memory: what TMA can take, and what a transfer reads. Must not choose or change."""

from __future__ import annotations

from math import prod

from croqc.pipe import ir
from croqc.pipe.exprs import Lit, Space, Tile, multiply, product
from croqc.pipe.facts import Facts
from croqc.pipe.tiles import ends_with_tensor
from croqc.sema.elements import ELEMENTS

_UNIT = 16  # bytes: the granularity of TMA


def is_load(stmt: ir.Stmt) -> bool:
    """A TMA transfer into shared memory."""
    return isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA and stmt.dest.tensor.space is Space.SHARED


def load_bytes(copy: ir.Copy) -> int:
    """Transaction bytes of a load: its whole box, what lies outside the tensor included (reference, 5.5)."""
    extents = copy.source.extents
    assert extents is not None
    return prod(extents) * ELEMENTS[copy.source.tensor.elem].bits // 8


def taken_by_async_proxy(stmt: ir.Stmt) -> tuple[str, ...]:
    """The shared tensors that wgmma or TMA reads, or that a TMA load writes, in a statement."""
    match stmt:
        case ir.Multiply() if stmt.instruction.is_async:
            read = ((stmt.a, stmt.a_registers), (stmt.b, stmt.b_registers))
            return tuple(tile.tensor.name for tile, held in read if not held)
        case ir.Copy(mechanism=ir.Mechanism.TMA):
            return (stmt.dest.tensor.name,) if is_load(stmt) else (stmt.source.tensor.name,)
    return ()


def sides(copy: ir.Copy) -> tuple[Tile, Tile]:
    """The global side, then the shared one."""
    if copy.source.tensor.space is Space.GLOBAL:
        return copy.source, copy.dest
    return copy.dest, copy.source


def unclipped(outside: Tile) -> str:
    """Why the hardware's clipping at the tensor's edge is not the tile's; empty where it is."""
    if all(ends_with_tensor(outside, dim) for dim in range(len(outside.valid))):
        return ""
    return f"the view ends before '{outside.tensor.name}' does, where TMA would go on"


def unreachable(outside: Tile) -> str:
    """Why a tile of a global tensor is none of its boxes; empty where it is one."""
    return unclipped(outside) or _astray(outside)


def _astray(outside: Tile) -> str:
    if outside.scales:
        return f"its view of '{outside.tensor.name}' has strides of its own"
    if not outside.dims or outside.dims[-1] != len(outside.tensor.shape) - 1:
        return f"its rows do not run along those of '{outside.tensor.name}'"
    return ""


def short(outside: Tile) -> str:
    """Why the rows of a box are too short for TMA; empty where they are not, or not known."""
    if outside.extents is None:
        return ""
    size = outside.extents[-1] * outside.tensor.elem_bytes
    return f"its rows of {size} bytes are no multiple of {_UNIT}" if size % _UNIT else ""


def misaligned(outside: Tile, facts: Facts) -> str:
    """Why no box of a global tensor can be TMA's: element type, rank or strides; empty where some can."""
    size = ELEMENTS[outside.tensor.elem].bits
    if size < 8 or not 1 <= len(outside.tensor.shape) <= 5:
        return "its element type or rank is none of TMA's"
    shape = outside.tensor.shape
    strides = [multiply(product(shape[dim:]), Lit(size // 8)) for dim in range(1, len(shape))]
    if not facts.divide((_UNIT, stride) for stride in strides):
        return f"the strides of '{outside.tensor.name}' are not known to be multiples of {_UNIT} bytes"
    return ""
