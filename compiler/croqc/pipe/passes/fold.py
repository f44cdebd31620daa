"""Pass fold: TMA loads complete on the events that publish them.

- A synchronous load is synchronous in the source alone where nobody needs the data but the waiter of the event that the
  same path triggers next (`published`). Then its bytes join that arrival as one transaction (credit-flow, section 6).
- `trigger e after f` joins the bytes of f's copy; a copy that names its event (classic) joins the next arrival there.
- Any other load gets a barrier of its own: an arrival with its bytes behind it and, where the source waits, a wait.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.exprs import ZERO, Fn
from croqc.pipe.published import Published
from croqc.pipe.transfers import is_load, load_bytes
from croqc.pipe.walk import Body, rewrite_lists, statements
from croqc.sema.model import THREADS, Unit
from croqc.text.record import replace

# How many threads share a barrier; a thread has that of its warpgroup.
_SIZES = {Unit.GROUP4: THREADS[Unit.GROUP4], Unit.THREAD: THREADS[Unit.GROUP4], Unit.GROUP: THREADS[Unit.GROUP]}


def fold(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    own = _Own(kernel)
    body = rewrite_lists(kernel.body, lambda part: _folded(part, own))
    return replace(kernel, body=body, events=(*kernel.events, *own.events))


class _Own:
    """The barriers that this pass makes, one a stand-alone load or future."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.threads, self.published = kernel.threads, Published(kernel)
        copies = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy) and stmt.handle]
        self.stores = {copy.handle for copy in copies if copy.mechanism is ir.Mechanism.TMA and not is_load(copy)}
        self.events: list[ir.Event] = []
        self.of_handle: dict[str, str] = {}

    def make(self, copy: ir.Copy) -> str:
        if copy.handle and copy.handle in self.of_handle:
            return self.of_handle[copy.handle]
        name = f"{copy.handle or 'load'}_landed" + (f"_{len(self.events)}" if self.events and not copy.handle else "")
        slots = max(self.threads // _SIZES[copy.unit], 1) if copy.unit in _SIZES else 1
        self.events.append(ir.Event(name, slots, (1,) * slots, False, copy.span))
        if copy.handle:
            self.of_handle[copy.handle] = name
        return name

    def slot(self, copy: ir.Copy) -> ir.SlotRef:
        """The barrier of a load: every unit that makes it has its own."""
        return own_slot(self.make(copy), copy.unit)


def own_slot(event: str, unit: Unit) -> ir.SlotRef:
    match unit:
        case Unit.GROUP4 | Unit.THREAD:
            return ir.SlotRef(event, Fn("warpgroup", (), "s32"))
        case Unit.GROUP:
            return ir.SlotRef(event, Fn("warp", (), "s32"))
    return ir.SlotRef(event, ZERO)


def _folded(body: Body, own: _Own) -> Body:
    pending: list[int] = []  # synchronous loads that wait for an arrival, by their place in `found`
    found: list[ir.Stmt] = []
    for stmt in body:
        if is_load(stmt):
            pending.append(len(found))
            found.append(stmt)
        elif isinstance(stmt, ir.Arrive):
            joined = _joined(stmt, found, pending, own.published)
            later = [found[at] for at in pending if _joins_later(found[at])]
            _stand_alone(found, [at for at in pending if not _joins_later(found[at])], own)
            pending = [at for at, each in enumerate(found) if any(each is one for one in later)]
            found.append(joined)
        elif isinstance(stmt, ir.Await):
            found += _awaited(stmt, own)
        else:
            if pending and not isinstance(stmt, ir.Let | ir.Wait):
                _stand_alone(found, pending, own)
            found.append(stmt)
    _stand_alone(found, pending, own)
    return tuple(found)


def _joins_later(stmt: ir.Stmt) -> bool:
    """A load that another arrival takes: its future is named there, or it names the event itself."""
    return isinstance(stmt, ir.Copy) and (stmt.is_async or stmt.completes is not None)


def _joined(arrive: ir.Arrive, found: list[ir.Stmt], pending: list[int], published: Published) -> ir.Arrive:
    """An arrival with the bytes of the loads that it publishes: of the synchronous ones all or none."""
    total = 0
    plain = [copy for copy in (found[at] for at in pending) if isinstance(copy, ir.Copy) and not copy.is_async]
    lands = all(published.may_land_with(copy, arrive.slot.event) for copy in plain if copy.completes is None)
    for at in tuple(pending):
        copy = found[at]
        assert isinstance(copy, ir.Copy)
        if copy.completes is not None:
            joins = copy.completes.event == arrive.slot.event
        elif copy.is_async:
            joins = copy.handle in arrive.after
        else:
            joins = lands
        if joins:
            found[at] = replace(copy, completes=copy.completes or arrive.slot)
            total += load_bytes(copy)
            pending.remove(at)
    after = tuple(handle for handle in arrive.after if not _done(handle, found))
    return replace(arrive, bytes=arrive.bytes + total, after=after)


def _done(handle: str, found: list[ir.Stmt]) -> bool:
    return any(isinstance(stmt, ir.Copy) and stmt.handle == handle and stmt.completes is not None for stmt in found)


def _stand_alone(found: list[ir.Stmt], pending: list[int], own: _Own) -> None:
    """Gives the loads that no arrival took a barrier of their own, from the last to the first."""
    for at in reversed(pending):
        copy = found[at]
        assert isinstance(copy, ir.Copy)
        if copy.completes is not None:
            continue  # the classic form: its arrival stands elsewhere
        slot = own.slot(copy)
        tail: list[ir.Stmt] = [ir.Arrive(copy.span, slot, copy.unit, bytes=load_bytes(copy))]
        if not copy.is_async:
            tail.append(ir.Wait(copy.span, slot))
        found[at : at + 1] = [replace(copy, completes=slot), *tail]
    pending.clear()


def _awaited(stmt: ir.Await, own: _Own) -> list[ir.Stmt]:
    """Waits for TMA loads wait for their barriers, those for TMA stores for their reading; the others stay."""
    rest = tuple(handle for handle in stmt.handles if handle not in own.of_handle and handle not in own.stores)
    waits: list[ir.Stmt] = [
        ir.Wait(stmt.span, own_slot(own.of_handle[handle], stmt.unit))
        for handle in stmt.handles
        if handle in own.of_handle
    ]
    if own.stores.intersection(stmt.handles):
        waits += [ir.StoresRead(stmt.span, stmt.unit), ir.Sync(stmt.span, stmt.unit)]
    return [*waits, replace(stmt, handles=rest)] if rest else waits
