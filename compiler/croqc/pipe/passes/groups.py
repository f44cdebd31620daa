"""Pass groups: a wait for copies by cp.async leaves those in flight that were issued behind the ones it waits for.

A thread waits by groups, in the order in which it has ended them (`issued`): what it has certainly ended behind the
awaited copies need not be complete. So the loads of the next tiles go on while this one is used.

Where only one arm of a condition loads, as a loop that loads ahead does while there is something to load, the other
arm ends empty groups. They are complete at once, and every way to a wait has ended as many. It is done where some wait
leaves more in flight for it.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.issued import allowed, ends_group
from croqc.pipe.walk import Body, rewrite, statements
from croqc.text.record import replace


def groups(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    plain, evened = _kept(kernel.body), _kept(rewrite(kernel.body, _evened))
    return replace(kernel, body=evened if _in_flight(evened) > _in_flight(plain) else plain)


def _kept(body: Body) -> Body:
    keep = {id(stmt): count for stmt, count in allowed(body)}
    return rewrite(body, lambda stmt: (replace(stmt, keep=keep[id(stmt)]) if isinstance(stmt, ir.Await) else stmt,))


def _in_flight(body: Body) -> int:
    return sum(stmt.keep for stmt in statements(body) if isinstance(stmt, ir.Await))


def _evened(stmt: ir.Stmt) -> Body:
    """A condition whose arms end equally many groups."""
    if not isinstance(stmt, ir.If):
        return (stmt,)
    then, other = _ended(stmt.then), _ended(stmt.other)
    if then is None or other is None:
        return (stmt,)
    empty = ir.EmptyGroup(stmt.span)
    missing = (empty,) * abs(then - other)
    return (replace(stmt, other=stmt.other + missing) if then > other else replace(stmt, then=stmt.then + missing),)


def _ended(body: Body) -> int | None:
    """How many groups each way through a list ends; None where that is not one number."""
    count = 0
    for stmt in body:
        match stmt:
            case ir.Jump():
                return None
            case ir.If(then=then, other=other):
                ways = {_ended(then), _ended(other)}
                found = ways.pop() if len(ways) == 1 else None
            case ir.Scope() | ir.Probe():
                found = _ended(stmt.body)
            case ir.Loop() | ir.While() | ir.Role() | ir.Visit():
                found = (
                    None if any(isinstance(each, ir.Jump) or ends_group(each) for each in statements(stmt.body)) else 0
                )
            case _:
                found = int(ends_group(stmt))
        if found is None:
            return None
        count += found
    return count
