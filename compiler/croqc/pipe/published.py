"""Who looks at a tensor, and so when a transfer has to be complete. Must not change anything.

A synchronous load may land with an event instead of at its statement (reference, 7.5) where nobody sees the difference:
the path that loads never reads the tensor itself, the block never touches it outside roles, and every other role that
does has waited for that event first, whichever way it takes.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.tiles import reads_of
from croqc.pipe.walk import Body, bodies, statements


class Published:
    """Answers for one kernel, by the copy's statement and the event's name."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.roles = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Role)]
        inside = {id(stmt) for role in self.roles for stmt in statements(role.body)}
        self.outside = [stmt for stmt in statements(kernel.body) if id(stmt) not in inside]

    def may_land_with(self, copy: ir.Copy, event: str) -> bool:
        name = copy.dest.tensor.name
        if any(name in touched(stmt) for stmt in self.outside):
            return False
        for role in self.roles:
            loads = any(isinstance(stmt, ir.Copy) and stmt.span == copy.span for stmt in statements(role.body))
            if loads and any(name in read(stmt) for stmt in statements(role.body)):
                return False
            if not loads and not _waits_first(role.body, name, event):
                return False
        return True


def _waits_first(body: Body, tensor: str, event: str) -> bool:
    """Whether every way to each access of the tensor leads through a wait for the event."""
    return _waited(body, tensor, event, False) is not None


def _waited(body: Body, tensor: str, event: str, before: bool) -> bool | None:
    """Whether every way through a list has waited for the event, `before`: in front of it; None where some way comes to
    an access of the tensor without. What waits in one arm alone, or in a loop, may be left out."""
    for stmt in body:
        if isinstance(stmt, ir.Wait) and stmt.slot.event == event:
            before = True
        if not before and tensor in touched(stmt):
            return None
        ways = [_waited(inner, tensor, event, before) for inner in bodies(stmt)]
        if None in ways:
            return None
        if ways and not isinstance(stmt, ir.Loop | ir.While):
            before = all(ways)
    return before


def otherwise_used(kernel: ir.Kernel) -> frozenset[str]:
    """The global tensors that a kernel reads, or writes element by element: stores into them must be seen by these."""
    written = (ir.Write, ir.Atomic)
    found: set[str] = set()
    for stmt in statements(kernel.body):
        found |= touched(stmt) if isinstance(stmt, written) else read(stmt)
    return frozenset(found)


def read(stmt: ir.Stmt) -> set[str]:
    """The tensors that a statement itself reads."""
    found = {tensor.name for tensor in reads_of(stmt)}
    match stmt:
        case ir.Copy(source=tile) | ir.LoadFragment(tile=tile) | ir.LoadMetadata(tile=tile):
            found.add(tile.tensor.name)
        case ir.Multiply():
            found |= {stmt.a.tensor.name, stmt.b.tensor.name}
        case ir.Atomic(tile=tile):
            found.add(tile.tensor.name)
    return found


def touched(stmt: ir.Stmt) -> set[str]:
    """The tensors that a statement itself reads or writes."""
    found = read(stmt)
    match stmt:
        case ir.Copy(dest=tile) | ir.StoreTile(dest=tile) | ir.Write(tile=tile):
            found.add(tile.tensor.name)
    return found
