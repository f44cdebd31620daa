"""How many groups of cp.async each thread has certainly ended behind the copies that a wait is for.

A thread's groups complete in the order in which it ends them, and a wait for all but the last N leaves N in flight
(PTX ISA, cp.async.wait_group). Each copy that no barrier counts is a group of its own, for every thread of its unit.
Counted is what a thread has done, whichever way it took: where ways meet, the fewer. Must not change anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from croqc.pipe import ir
from croqc.pipe.dataflow import Dataflow
from croqc.pipe.walk import Body

_Counts = Mapping[str, int] | None
"""For each handle with copies, the groups ended behind the last of them; None where no run comes."""


def allowed(body: Body) -> Iterator[tuple[ir.Await, int]]:
    """Every wait for copies of threads, with how many groups it may leave in flight."""
    flow: Dataflow[_Counts] = Dataflow(_behind, _fewer, None)
    for stmt, counts in flow.fronts(body, {}):
        if isinstance(stmt, ir.Await):
            yield stmt, _may_keep(stmt, counts)


def ends_group(stmt: ir.Stmt) -> bool:
    """Whether each thread that comes to a statement ends a group there."""
    own = isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.CP_ASYNC and stmt.completes is None
    return own or isinstance(stmt, ir.EmptyGroup)


def _may_keep(stmt: ir.Await, counts: _Counts) -> int:
    """Of a handle that no copy in front has been seen of, nothing is known."""
    return min(0 if counts is None else counts.get(handle, 0) for handle in stmt.handles)


def _behind(stmt: ir.Stmt, following: Body, counts: _Counts) -> _Counts:
    if counts is None:
        return None
    if isinstance(stmt, ir.Rotate):
        sources = (*stmt.handles[1:], stmt.handles[0])
        moved = {to: counts[source] for to, source in zip(stmt.handles, sources, strict=True) if source in counts}
        return {**{name: count for name, count in counts.items() if name not in stmt.handles}, **moved}
    if not ends_group(stmt):
        return counts
    found = {name: count + 1 for name, count in counts.items()}
    return {**found, stmt.handle: 0} if isinstance(stmt, ir.Copy) else found


def _fewer(one: _Counts, other: _Counts) -> _Counts:
    if one is None or other is None:
        return other if one is None else one
    both = {**one, **other}
    return {name: min(one.get(name, count), other.get(name, count)) for name, count in both.items()}
