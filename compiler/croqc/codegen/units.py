"""Where a thread stands in its block, and how the threads of a unit meet, as C++. Must not print statements."""

from __future__ import annotations

from croqc.sema.model import THREADS, Unit
from croqc.text.record import record


@record
class Team:
    """Whom the unit BLOCK stands for: `count` threads from number `first` on, which meet at a named `barrier`; or, at
    number 0, all `threads` of the block."""

    threads: int
    count: int
    first: int = 0
    barrier: int = 0

    @staticmethod
    def whole(threads: int) -> Team:
        return Team(threads, threads)


def rank_in(unit: Unit, team: Team) -> tuple[str, int]:
    """A thread's number in its unit, and how many there are."""
    count = THREADS.get(unit, team.count)
    if count == 1:
        return "0", 1
    if unit not in THREADS and team.first:
        return f"(threadIdx.x - {team.first})", count
    return ("threadIdx.x", count) if unit not in THREADS or count == team.threads else (f"threadIdx.x % {count}", count)


def first_of(unit: Unit, team: Team) -> str:
    """The condition that one thread of the unit meets; empty for a single thread."""
    rank, count = rank_in(unit, team)
    if unit not in THREADS and team.first:
        return f"threadIdx.x == {team.first}"
    return "" if count == 1 else f"{rank} == 0"


def by_first(unit: Unit, team: Team, statement: str) -> str:
    """A statement that one thread of the unit runs."""
    one = first_of(unit, team)
    return f"if ({one}) {statement}" if one else statement


def number_of(unit: Unit) -> str:
    """The number of a thread's warp or warpgroup in its block."""
    return f"threadIdx.x / {THREADS[unit]}"


def meeting(unit: Unit, team: Team, first_barrier: int) -> str:
    """The barrier of a unit; empty for a single thread. A unit of all threads has the block's, each warpgroup one of
    its own from `first_barrier` on."""
    if THREADS.get(unit, team.count) >= team.threads:
        return "__syncthreads();"
    match unit:
        case Unit.BLOCK:
            return f"bar_sync({team.barrier}, {team.count});"
        case Unit.GROUP4:
            return f"bar_sync({first_barrier} + {number_of(unit)}, {THREADS[unit]});"
        case Unit.GROUP:
            return "__syncwarp();"
    return ""
