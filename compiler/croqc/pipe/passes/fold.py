"""Pass fold: TMA loads complete on the events that publish them.

- A synchronous load is synchronous in the source alone where nobody needs the data but the waiter of the event that the
  same path triggers next (`published`). Then its bytes join that arrival as one transaction (credit-flow, section 6).
- `trigger e after f` joins the bytes of f's copy; a copy that names its event (classic) joins the next arrival there.
- A copy of that kind whose arrival stands in another list of statements, and one to every block of a cluster, is
  expected where it begins (PTX ISA, mbarrier.expect_tx).
- Any other load gets a barrier of its own: an arrival with its bytes behind it and, where the source waits, a wait.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Fn, Lit, Space, Var, add, multiply
from croqc.pipe.handles import together
from croqc.pipe.published import Published
from croqc.pipe.walk import Body, rewrite, rewrite_lists, statements
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import Unit
from croqc.text.record import replace

_SIZES = {Unit.GROUP4: 128, Unit.THREAD: 128, Unit.GROUP: 32}  # threads that share a barrier


def fold(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    own = _Own(kernel)
    body = rewrite_lists(kernel.body, lambda part: _folded(part, own))
    body = rewrite(body, lambda stmt: _late(stmt, own))
    shared = {event for stmt in statements(body) for event in _over_blocks(stmt)}
    body = rewrite(body, lambda stmt: _spread(stmt, shared))
    return replace(kernel, body=body, events=(*kernel.events, *own.events))


def is_load(stmt: ir.Stmt) -> bool:
    """A TMA transfer into shared memory."""
    return isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA and stmt.dest.tensor.space is Space.SHARED


class _Own:
    """The barriers that this pass makes, one a stand-alone load or future."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.threads, self.published = kernel.threads, Published(kernel)
        copies = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy) and stmt.handle]
        self.stores = {copy.handle for copy in copies if copy.mechanism is ir.Mechanism.TMA and not is_load(copy)}
        self.groups = together(kernel)
        self.first = {name: slot for name, _, slot in kernel.handles}
        self.events: list[ir.Event] = []
        self.of_handle: dict[str, str] = {}

    def make(self, copy: ir.Copy) -> str:
        if copy.handle and copy.handle in self.of_handle:
            return self.of_handle[copy.handle]
        group = self.groups.get(copy.handle, frozenset((copy.handle,)))
        wish = min(group, key=lambda name: self.first.get(name, 0)) or "load"
        name = f"{wish}_landed" + (f"_{len(self.events)}" if self.events and not copy.handle else "")
        units = max(self.threads // _SIZES[copy.unit], 1) if copy.unit in _SIZES else 1
        slots = units * len(group)
        self.events.append(ir.Event(name, slots, (1,) * slots, False, copy.span))
        if copy.handle:
            self.of_handle |= dict.fromkeys(group, name)
        return name

    def slot(self, copy: ir.Copy) -> ir.SlotRef:
        """The barrier of a load: every unit that makes it has its own, and every buffer that handles rotate."""
        return self._slot(self.make(copy), copy.handle, copy.unit)

    def awaited(self, handle: str, unit: Unit) -> ir.SlotRef:
        """The barrier of the transfer that a handle holds."""
        return self._slot(self.of_handle[handle], handle, unit)

    def _slot(self, event: str, handle: str, unit: Unit) -> ir.SlotRef:
        at = _UNITS.get(unit, ZERO)
        count = len(self.groups.get(handle, ()))
        if count > 1:
            at = add(multiply(at, Lit(count)), Var(handle))
        return ir.SlotRef(event, at)


_UNITS: dict[Unit, Expr] = {
    Unit.GROUP4: Fn("warpgroup", (), "s32"),
    Unit.THREAD: Fn("warpgroup", (), "s32"),
    Unit.GROUP: Fn("warp", (), "s32"),
}


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
            waited = [at for at in pending if _handle_of(found[at]) in stmt.handles]
            pending = [at for at in pending if at not in waited]
            if waited:  # the barriers of these come now; loads in front of them move up in the list
                later = [found[at] for at in pending]
                _stand_alone(found, waited, own)
                pending = [at for at, each in enumerate(found) if any(each is one for one in later)]
            found += _awaited(stmt, own)
        else:
            if pending and not isinstance(stmt, ir.Let | ir.Wait):
                _stand_alone(found, pending, own)
            found.append(stmt)
    _stand_alone(found, pending, own)
    return tuple(found)


def _handle_of(stmt: ir.Stmt) -> str:
    return stmt.handle if isinstance(stmt, ir.Copy) else ""


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
            total += 0 if copy.multicast else load_bytes(copy)  # those of every block stand at the copy
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
        if copy.completes is not None:  # the classic form, whose arrival stands elsewhere
            if not copy.multicast:
                found.insert(at, ir.Expect(copy.span, copy.completes, copy.unit, load_bytes(copy)))
            continue
        if copy.multicast:
            reason = "its bytes come to every block of the cluster"
            raise LoweringError(f"a multicast copy lands on an event, for {reason}: trigger one behind it", copy.span)
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
        ir.Wait(stmt.span, own.awaited(handle, stmt.unit)) for handle in stmt.handles if handle in own.of_handle
    ]
    if own.stores.intersection(stmt.handles):
        waits += [ir.StoresRead(stmt.span, stmt.unit), ir.Sync(stmt.span, stmt.unit)]
    return [*waits, replace(stmt, handles=rest)] if rest else waits


def _over_blocks(stmt: ir.Stmt) -> tuple[str, ...]:
    """The event that a statement completes in other blocks of the cluster too."""
    match stmt:
        case ir.Arrive(cluster=True, slot=slot) | ir.Copy(multicast=True, completes=ir.SlotRef() as slot):
            return (slot.event,)
    return ()


def _spread(stmt: ir.Stmt, shared: set[str]) -> Body:
    """A copy to every block of a cluster is expected in all of them, in front of it; waits there are for all blocks."""
    match stmt:
        case ir.Copy(multicast=True, completes=ir.SlotRef() as slot):
            return (ir.Expect(stmt.span, slot, stmt.unit, load_bytes(stmt), cluster=True), stmt)
        case ir.Wait(slot=slot) if slot.event in shared:
            return (replace(stmt, cluster=True),)
    return (stmt,)


def _late(stmt: ir.Stmt, own: _Own) -> Body:
    """Waits and arrivals for transfers of other lists of statements, which have their barriers now. An arrival that
    cannot carry a transfer's bytes is made when it has landed."""
    match stmt:
        case ir.Await():
            return tuple(_awaited(stmt, own))
        case ir.Arrive(after=after) if own.of_handle.keys() & set(after):
            landed = [each for each in after if each in own.of_handle]
            waits = [ir.Wait(stmt.span, own.awaited(each, stmt.unit)) for each in landed]
            return (*waits, replace(stmt, after=tuple(each for each in after if each not in own.of_handle)))
    return (stmt,)


def load_bytes(copy: ir.Copy) -> int:
    """Transaction bytes of a load: its whole box, what lies outside the tensor included (reference, 5.5)."""
    extents = copy.source.extents
    assert extents is not None
    total = ELEMENTS[copy.source.tensor.elem].bits
    for extent in extents:
        total *= extent
    return total // 8
