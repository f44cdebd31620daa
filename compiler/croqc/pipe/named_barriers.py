"""Numbers of the hardware's barriers: those of warpgroups beside those of the program (PTX ISA, barrier).

A block has 16: number 0 is the whole block's, each warpgroup that meets takes one. A program takes others by
`__bar_sync(id, n)` and `__bar_arrive(id, n)` (reference, 7.7). Must not place barriers.
"""

from __future__ import annotations

from typing import Final

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import integer
from croqc.pipe.walk import Body, statements
from croqc.sema.model import THREADS, Unit

_COUNT: Final = 16
_CALLS: Final = ("bar_sync", "bar_arrive")


def first_barrier(body: Body, threads: int) -> int:
    """The number of the first warpgroup's barrier, those of the others follow; the program has none of them.

    Raises LoweringError where that cannot be.
    """
    groups = threads // THREADS[Unit.GROUP4]
    calls = [stmt for stmt in statements(body) if isinstance(stmt, ir.Call) and stmt.name in _CALLS]
    if groups < 2 or not calls or not any(_meets(stmt) for stmt in statements(body)):
        return 1
    taken = set()
    for call in calls:
        number = integer(call.args[0])
        if number is None:
            reason = "the number of this barrier is not known when compiling, and warpgroups of this block use some too"
            raise LoweringError(f"{reason}: write it as a number", call.span)
        taken.add(number)
    for first in range(1, _COUNT - groups + 1):
        if taken.isdisjoint(range(first, first + groups)):
            return first
    reason = f"the {groups} warpgroups of this block need {groups} barriers of {_COUNT} in a row"
    raise LoweringError(f"{reason}: use fewer numbers, from 1 on", calls[0].span)


def _meets(stmt: ir.Stmt) -> bool:
    """Whether a statement has the threads of a warpgroup meet."""
    return (
        isinstance(stmt, ir.Sync | ir.Arrive) and stmt.unit is Unit.GROUP4 and (isinstance(stmt, ir.Sync) or stmt.meets)
    )
