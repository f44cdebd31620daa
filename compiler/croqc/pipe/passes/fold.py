"""Pass fold: TMA loads complete on the events that publish them.

- A synchronous load is synchronous in the source alone where nobody needs the data but the waiter of the event that the
  same path triggers next, and the path does not come to that slot again while the bytes are under way (`published`).
  Then its bytes join that arrival as one transaction (credit-flow, section 6).
- `trigger e after f` joins the bytes of f's copy; a copy that names its event (classic) joins the next arrival there.
- A copy of that kind whose arrival stands in another list of statements, and one to every block of a cluster, is
  expected where it begins (PTX ISA, mbarrier.expect_tx).
- Any other load gets a barrier of its own: an arrival with its bytes behind it and, where the source waits, a wait. The
  futures of a ring, which change their slots, share one that has the slots of the ring. Where nobody waits there is no
  arrival, for a next one could come before the bytes: one too many for its generation (PTX ISA, mbarrier, phases).
"""

from __future__ import annotations

from collections import Counter

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Fn, Lit, Var, add, multiply
from croqc.pipe.joining import Joining
from croqc.pipe.transfers import is_load, load_bytes
from croqc.pipe.walk import Body, rewrite, statements
from croqc.sema.model import THREADS, Unit
from croqc.text.record import replace

# How many threads share a barrier; a thread has that of its warpgroup.
_SIZES = {Unit.GROUP4: THREADS[Unit.GROUP4], Unit.THREAD: THREADS[Unit.GROUP4], Unit.GROUP: THREADS[Unit.GROUP]}


def fold(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    own = _Own(kernel)
    folding = _Folding(kernel, own)
    body = folding.walked(kernel.body)
    stores = {copy.handle for copy in _transfers(body) if copy.handle and not is_load(copy)}
    body = rewrite(body, lambda stmt: _awaited(stmt, own, stores, folding.told_of))
    own.check(body)
    body = _without_waiters(body, {event.name for event in own.events})
    shared = {event for stmt in statements(body) for event in _over_blocks(stmt)}
    body = rewrite(body, lambda stmt: _spread(stmt, shared))
    return replace(kernel, body=body, events=(*kernel.events, *own.events))


def _transfers(body: Body) -> list[ir.Copy]:
    copies = [stmt for stmt in statements(body) if isinstance(stmt, ir.Copy)]
    return [copy for copy in copies if copy.mechanism is ir.Mechanism.TMA]


class _Own:
    """The barriers that this pass makes: one a stand-alone load, one a future, and one the futures of a ring."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.threads = kernel.threads
        self.rings = {name: ring for name, ring, _ in kernel.handles}
        slots = {item.tensor.name: item.tensor.slots for item in kernel.shared}
        self.lengths = {ring: max(count, slots.get(ring, 1)) for ring, count in Counter(self.rings.values()).items()}
        self.events: list[ir.Event] = []
        self.known: dict[str, tuple[str, Unit]] = {}  # by ring or future: its barrier, and who has one each

    def make(self, copy: ir.Copy) -> ir.SlotRef:
        """The barrier of a load: every unit that makes it has its own."""
        key = self.rings.get(copy.handle, copy.handle)
        name, unit = self.known.get(key, ("", copy.unit))
        if unit is not copy.unit:
            raise LoweringError("this future has other copies by another unit: let one unit make them all", copy.span)
        if not name:
            number = f"_{len(self.events)}" if self.events and not copy.handle else ""
            name = f"{copy.handle or 'load'}_landed{number}"
            units = max(self.threads // _SIZES[copy.unit], 1) if copy.unit in _SIZES else 1
            slots = units * self._length(copy.handle)
            self.events.append(ir.Event(name, slots, (1,) * slots, False, copy.span, own=True))
            if key:
                self.known[key] = name, unit
        return self._slot(name, copy.handle, unit)

    def of(self, handle: str) -> ir.SlotRef | None:
        """The barrier of a future; None for one whose loads have none."""
        known = self.known.get(self.rings.get(handle, handle))
        return None if known is None else self._slot(known[0], handle, known[1])

    def _length(self, handle: str) -> int:
        return self.lengths.get(self.rings.get(handle, ""), 1)

    def _slot(self, name: str, handle: str, unit: Unit) -> ir.SlotRef:
        number: Expr = ZERO
        if unit in _SIZES:
            number = Fn("warp" if unit is Unit.GROUP else "warpgroup", (), "s32")
        if self._length(handle) > 1:  # the future's variable says which slot of the ring it has
            number = add(multiply(number, Lit(self._length(handle))), Var(handle))
        return ir.SlotRef(name, number)

    def check(self, body: Body) -> None:
        """Raises LoweringError where a future that waits at a barrier has copies without one."""
        for stmt in statements(body):
            if not isinstance(stmt, ir.Copy) or not stmt.is_async or stmt.mechanism is ir.Mechanism.TMA:
                continue
            if stmt.handle and self.rings.get(stmt.handle, stmt.handle) in self.known:
                reason = "TMA makes other copies of this future, but not this one"
                raise LoweringError(f"{reason}: use 'tma.copy' for all of them, or for none", stmt.span)


class _Folding(Joining):
    """`told_of`: the futures whose copies an arrival tells of."""

    def __init__(self, kernel: ir.Kernel, own: _Own) -> None:
        super().__init__(kernel)
        self.own = own
        self.told_of: set[str] = set()

    def takes(self, copy: ir.Copy) -> bool:
        return is_load(copy)

    def lands_with(self, copy: ir.Copy, arrive: ir.Arrive) -> bool:
        return True

    def told(self, arrive: ir.Arrive, copies: list[ir.Copy]) -> ir.Arrive:
        self.told_of |= {copy.handle for copy in copies if copy.handle and copy.is_async}
        own = [copy for copy in copies if not copy.multicast]  # the bytes of every block stand at the copy
        return replace(arrive, bytes=arrive.bytes + sum(map(load_bytes, own)))

    def alone(self, copy: ir.Copy) -> Body:
        if copy.multicast:
            reason = "its bytes come to every block of the cluster"
            raise LoweringError(f"a multicast copy lands on an event, for {reason}: trigger one behind it", copy.span)
        slot = self.own.make(copy)
        told = ir.Arrive(copy.span, slot, copy.unit, bytes=load_bytes(copy))
        waits = () if copy.is_async else (ir.Wait(copy.span, slot),)
        return replace(copy, completes=slot), told, *waits

    def elsewhere(self, copy: ir.Copy) -> Body:
        assert copy.completes is not None
        if copy.multicast:
            return (copy,)
        return ir.Expect(copy.span, copy.completes, copy.unit, load_bytes(copy)), copy


def _awaited(stmt: ir.Stmt, own: _Own, stores: set[str], told_of: set[str]) -> Body:
    """Waits for TMA loads wait for their barriers, those for TMA stores for their reading; the others stay. An arrival
    that cannot carry a load's bytes is made when it has landed."""
    if isinstance(stmt, ir.Arrive):
        landed = [slot for handle in stmt.after if (slot := own.of(handle)) is not None]
        after = tuple(handle for handle in stmt.after if own.of(handle) is None)
        return (*(ir.Wait(stmt.span, slot) for slot in landed), replace(stmt, after=after))
    if not isinstance(stmt, ir.Await):
        return (stmt,)
    if told := sorted(told_of.intersection(stmt.handles)):
        raise LoweringError(f"a trigger tells of the copy '{told[0]}': wait for its event instead", stmt.span)
    waits: list[ir.Stmt] = []
    rest: list[str] = []
    for handle in stmt.handles:
        slot = own.of(handle)
        if slot is not None and stmt.among:
            raise LoweringError(
                "a wait for one of several TMA copies is not lowered yet: wait for each by its own name", stmt.span
            )
        if slot is not None:
            waits.append(ir.Wait(stmt.span, slot))
        elif handle not in stores:
            rest.append(handle)
    if stores.intersection(stmt.handles):
        waits += [ir.StoresRead(stmt.span, stmt.unit), ir.Sync(stmt.span, stmt.unit)]
    return (*waits, replace(stmt, handles=tuple(rest))) if rest else tuple(waits)


def _without_waiters(body: Body, own: set[str]) -> Body:
    """Loads on a barrier of their own for which nobody waits only have their bytes expected there."""
    unheard = own - {stmt.slot.event for stmt in statements(body) if isinstance(stmt, ir.Wait)}

    def quiet(stmt: ir.Stmt) -> Body:
        if isinstance(stmt, ir.Arrive) and stmt.slot.event in unheard:
            return (ir.Expect(stmt.span, stmt.slot, stmt.unit, stmt.bytes),)
        return (stmt,)

    return rewrite(body, quiet) if unheard else body


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
