"""Where a thread stands in its block, and how the threads of a unit meet, as C++. Must not print statements."""

from __future__ import annotations

from croqc.sema.model import THREADS, Unit


def rank_in(unit: Unit, threads: int) -> tuple[str, int]:
    """A thread's number in its unit, and how many there are."""
    count = THREADS.get(unit, threads)
    if count == 1:
        return "0", 1
    return ("threadIdx.x", threads) if count == threads else (f"threadIdx.x % {count}", count)


def first_of(unit: Unit, threads: int) -> str:
    """The condition that one thread of the unit meets; empty for a single thread."""
    rank, count = rank_in(unit, threads)
    return "" if count == 1 else f"{rank} == 0"


def by_first(unit: Unit, threads: int, statement: str) -> str:
    """A statement that one thread of the unit runs."""
    one = first_of(unit, threads)
    return f"if ({one}) {statement}" if one else statement


def number_of(unit: Unit) -> str:
    """The number of a thread's warp or warpgroup in its block."""
    return f"threadIdx.x / {THREADS[unit]}"


def meeting(unit: Unit, threads: int, first_barrier: int) -> str:
    """The barrier of a unit in a block of so many threads, which a unit of all of them has too; empty for a single
    thread. Each warpgroup has one of its own."""
    if THREADS.get(unit, threads) >= threads:
        return "__syncthreads();"
    match unit:
        case Unit.GROUP4:
            return f"bar_sync({first_barrier} + {number_of(unit)}, {THREADS[unit]});"
        case Unit.GROUP:
            return "__syncwarp();"
    return ""
