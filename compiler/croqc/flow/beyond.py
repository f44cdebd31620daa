"""Sizes beyond the usual ones, at which integers of 32 bits come round: whether a kernel may do otherwise there.

A program is lowered as of counted numbers (see `extents`). Where the largest sizes ask for other cuts, or a value may
leave its type, a verdict is one on the sizes up to `COUNTED` alone. Must not run anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from croqc.flow.exprs import Expr
from croqc.flow.extents import COUNTED
from croqc.flow.instances import Plan
from croqc.flow.limit import Limit
from croqc.flow.ops_control import LoopStart
from croqc.flow.pieces import parts_of_slots
from croqc.flow.program import Op, Program
from croqc.flow.signature import spell
from croqc.flow.wraps import ends_of, leaves
from croqc.text.span import Span

_ROUND = "integers may leave their type here at larger sizes"
Steps = list[tuple[list[Expr], list[Expr], Span | None]]


@dataclass(frozen=True, slots=True)
class Counted:
    """Only counted sizes were looked at: which those are, in words, and why."""

    told: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class Lowered:
    """`program` is what a verdict is of. Where that is of counted sizes alone, `wide` is right for all."""

    program: Program
    wide: Program | None = None
    counted: Counted | None = None


def lower_for_all(lower: Callable[..., Program]) -> Lowered:
    """The program of a kernel, which `lower` makes, `wide` or not."""
    near = lower()
    if not near.converts or all(size.bound is not None for size in near.sizes):
        return Lowered(near)
    wide = lower(wide=True)
    limit = _comes_round(near, wide)
    return Lowered(near) if limit is None else Lowered(near, wide, Counted(_keep_counted(near), limit))


def _comes_round(near: Program, wide: Program) -> Limit | None:
    """The first place at which sizes beyond the counted ones may do otherwise, or be other ones than meant."""
    ends = ends_of(wide)
    given: Steps = [(near.asserts, wide.asserts[: len(near.asserts)], None)]
    steps: Steps = [
        (list(_exprs(one)), list(_exprs(other)), other.span) for one, other in zip(near.ops, wide.ops, strict=False)
    ]
    for before, exprs, place in given + steps:
        if list(map(spell, before)) != list(map(spell, exprs)):
            return Limit(_ROUND, place)
        if any(leaves(part, ends) for expr in exprs for part in expr.walk()):
            return Limit(_ROUND, place)
    return None if len(near.ops) == len(wide.ops) else Limit(_ROUND)


def _exprs(op: Op) -> Iterator[Expr]:
    yield from op.exprs()
    yield from parts_of_slots(op)
    if isinstance(op, LoopStart):
        yield op.loop.step


def _keep_counted(program: Program) -> str:
    """Leaves a program no other sizes than those that it is lowered for, and says which."""
    free = [size for size in program.sizes if size.bound is None]
    signed = any(size.ends[0] < 0 for size in free)
    for size in free:
        size.ends = max(size.ends[0], -COUNTED), min(size.ends[1], COUNTED)
    return "between -2^20 and 2^20" if signed else "up to 2^20"


def keep_uncounted(found: Plan) -> None:
    """Leaves a plan the instances with a size that is not counted."""
    free = {size.var for size in found.sizes if size.bound is None}
    kept = [
        (sizes, kind)
        for sizes, kind in zip(found.instances, found.kinds, strict=True)
        if any(value > COUNTED for var, value in sizes.items() if var in free)
    ]
    found.instances, found.kinds = [sizes for sizes, _ in kept], [kind for _, kind in kept]
