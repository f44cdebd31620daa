"""Numbers of the hardware's barriers: those of paths beside those of the program (PTX ISA, barrier).

A block has 16: number 0 is the whole block's, each warpgroup that meets takes one. A program takes others by
`__bar_sync(id, n)` and `__bar_arrive(id, n)` (reference, 7.7). Must not place barriers.
"""

from __future__ import annotations

from typing import Final

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import integer
from croqc.pipe.walk import Body, rewrite, statements
from croqc.sema.model import THREADS, Unit
from croqc.text.record import replace

_COUNT: Final = 16
_CALLS: Final = ("bar_sync", "bar_arrive")


def first_barrier(body: Body, threads: int) -> int:
    """The number of the first warpgroup's barrier, those of the others follow; the program has none of them.

    Raises LoweringError where that cannot be.
    """
    groups = threads // THREADS[Unit.GROUP4]
    calls = _calls(body)
    if groups < 2 or not calls or not any(_meets(stmt) for stmt in statements(body)):
        return 1
    taken = _taken(calls)
    for first in range(1, _COUNT - groups + 1):
        if taken.isdisjoint(range(first, first + groups)):
            return first
    reason = f"the {groups} warpgroups of this block need {groups} barriers of {_COUNT} in a row"
    raise LoweringError(f"{reason}: use fewer numbers, from 1 on", calls[0].span)


def with_team_barriers(body: Body, threads: int, first: int) -> Body:
    """The statements with a barrier for each path of some neighbouring warps, from the last number down; `first`: the
    first warpgroup's.

    Raises LoweringError where there are not enough.
    """
    given: dict[tuple[int, int], int] = {}

    def change(stmt: ir.Stmt) -> Body:
        if not isinstance(stmt, ir.Role) or stmt.unit is not Unit.BLOCK or stmt.threads == threads:
            return (stmt,)
        team = stmt.first, stmt.threads
        if team not in given:
            taken = {0, *range(first, first + threads // THREADS[Unit.GROUP4]), *_taken(_calls(body)), *given.values()}
            free = [number for number in range(_COUNT) if number not in taken]
            if not free:
                reason = f"the threads of this region need a barrier, and all {_COUNT} are taken"
                raise LoweringError(f"{reason}: let fewer regions have threads of their own", stmt.span)
            given[team] = free[-1]
        return (replace(stmt, barrier=given[team]),)

    return rewrite(body, change)


def _calls(body: Body) -> list[ir.Call]:
    return [stmt for stmt in statements(body) if isinstance(stmt, ir.Call) and stmt.name in _CALLS]


def _taken(calls: list[ir.Call]) -> set[int]:
    """The numbers that the program uses. Raises LoweringError for one that is not known."""
    taken = set()
    for call in calls:
        number = integer(call.args[0])
        if number is None:
            reason = "the number of this barrier is not known when compiling, and the block's own code uses some too"
            raise LoweringError(f"{reason}: write it as a number", call.span)
        taken.add(number)
    return taken


def _meets(stmt: ir.Stmt) -> bool:
    """Whether a statement has the threads of a warpgroup meet."""
    return (
        isinstance(stmt, ir.Sync | ir.Arrive) and stmt.unit is Unit.GROUP4 and (isinstance(stmt, ir.Sync) or stmt.meets)
    )
