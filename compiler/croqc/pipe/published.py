"""Who looks at a tensor, and so when a transfer has to be complete. Must not change anything.

A synchronous load may land with an event instead of at its statement (reference, 7.5) where nobody sees the difference:
the path that loads never reads the tensor itself, the block never touches it outside roles, and every other role that
does has waited for that slot and generation of the event first, whichever way it takes. Nor may the path come to the
next generation of the slot without a wait, for then it would arrive there while bytes of this one are under way (PTX
ISA, mbarrier, phases).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from croqc.pipe import ir
from croqc.pipe.dataflow import Dataflow
from croqc.pipe.exprs import Expr, Fn, Lit, Tile, Var, modulo, variables
from croqc.pipe.tiles import reads_of, tiles_in
from croqc.pipe.walk import Body, bodies, statements
from croqc.text.record import record, replace


@record
class Seen:
    """What a path has waited for: the slots of one event, and whether it has given anything away since."""

    slots: frozenset[Expr] = frozenset()
    released: bool = False


class Published:
    """Answers for one kernel, by a copy and the arrival that it would land with."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.body = kernel.body
        self.roles = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Role)]
        inside = {id(stmt) for role in self.roles for stmt in statements(role.body)}
        self.outside = [stmt for stmt in statements(kernel.body) if id(stmt) not in inside]
        self.lengths = {event.name: event.slots for event in kernel.events}
        self.lets = _constant_lets(kernel.body)
        self.turning = Counter(stmt.slot.event for stmt in _in_turns(kernel.body) if isinstance(stmt, ir.Arrive))
        self.arrivals = Counter(stmt.slot.event for stmt in statements(kernel.body) if isinstance(stmt, ir.Arrive))

    def may_land_with(self, copy: ir.Copy, arrive: ir.Arrive) -> bool:
        name = copy.dest.tensor.name
        if any(name in touched(stmt) for stmt in self.outside):
            return False
        if not self._is_held_up(arrive):
            return False
        for role in self.roles:
            loads = any(isinstance(stmt, ir.Copy) and stmt.span == copy.span for stmt in statements(role.body))
            if loads and any(name in read(stmt) for stmt in statements(role.body)):
                return False
            if not loads and not self._waits_first(role.body, copy.dest, arrive.slot):
                return False
        return True

    # --- the next generation ------------------------------------------------------------------------

    def _is_held_up(self, arrive: ir.Arrive) -> bool:
        """Whether a path waits for anything before it arrives at a slot again."""
        for number, loop in enumerate(reversed(_loops_around(self.body, arrive) or ())):
            if any(isinstance(stmt, ir.Wait) for stmt in statements(loop.body)):
                return True
            if number or not isinstance(loop, ir.Loop) or not self._takes_each_once(loop, arrive.slot):
                return False
        return True

    def _takes_each_once(self, loop: ir.Loop, slot: ir.SlotRef) -> bool:
        """Whether no two turns of a loop have one slot of an event."""
        length = Lit(self.lengths[slot.event])
        index = Var(loop.name)
        ends = loop.stop.args if isinstance(loop.stop, Fn) and loop.stop.name == "__min" else (loop.stop,)
        few = any(isinstance(end, Lit) and end.value <= length.value for end in ends)
        by_one = loop.start == Lit(0) and loop.step == Lit(1)
        return few and by_one and self._number(slot) in (index, modulo(index, length))

    # --- waits --------------------------------------------------------------------------------------

    def _waits_first(self, body: Body, dest: Tile, slot: ir.SlotRef) -> bool:
        """Whether every way to each access of what is loaded leads through a wait for the generation that tells of it.

        The next generation of a slot comes only when the path has given something away since it waited, for none may
        overtake a wait (reference, 7.1); and the path can only know of it by a wait. So a wait counts until another
        one behind an arrival or, where the event has a single generation, for good.
        """
        flow = Dataflow[Seen | None](partial(self._behind, slot.event), _either, None)
        return all(
            state is None or any(self._tells(dest, slot, at, seen) for seen in state.slots)
            for stmt, state in flow.fronts(body, Seen())
            for at in self._accessed(stmt, dest)
        )

    def _behind(self, event: str, stmt: ir.Stmt, following: Body, state: Seen | None) -> Seen | None:
        if state is None:
            return None
        lasts = self.arrivals[event] == 1 and not self.turning[event]
        match stmt:
            case ir.Wait(slot=slot):
                slots = state.slots if lasts or not state.released else frozenset[Expr]()
                return Seen(slots | {self._number(slot)} if slot.event == event else slots)
            case ir.Arrive():
                return replace(state, released=True)
            case ir.Text() | ir.Call(name="bar_sync" | "bar_arrive") if not lasts:  # who waits for whom is not known
                return Seen()
            case ir.Set(name=name) | ir.Let(name=name):
                return replace(state, slots=frozenset(each for each in state.slots if name not in variables(each)))
        return state

    def _accessed(self, stmt: ir.Stmt, dest: Tile) -> Iterator[Expr]:
        """The slots of a tensor that a statement itself accesses, without those that are certainly others."""
        loaded = self._resolved(dest.slot)
        if dest.tensor.name not in touched(stmt):
            return
        for tile in tiles_in(stmt):
            at = self._resolved(tile.slot)
            if tile.tensor.name == dest.tensor.name and (at == loaded or not (_is_known(at) and _is_known(loaded))):
                yield at

    def _tells(self, dest: Tile, slot: ir.SlotRef, at: Expr, seen: Expr) -> bool:
        """Whether a wait for one slot of an event tells of what is loaded into a slot of the tensor."""
        if self.lengths[slot.event] == 1:
            return True
        arrives = self._number(slot)
        return seen == arrives if _is_known(arrives) else seen == at and arrives == self._resolved(dest.slot)

    def _number(self, slot: ir.SlotRef) -> Expr:
        """The physical number of a slot."""
        at = self._resolved(slot.at)
        return modulo(at, Lit(self.lengths[slot.event])) if slot.ordered else at

    def _resolved(self, at: Expr) -> Expr:
        while isinstance(at, Var) and at.name in self.lets:
            at = self.lets[at.name]
        return at


def _is_known(number: Expr) -> bool:
    return isinstance(number, Lit)


def _either(one: Seen | None, other: Seen | None) -> Seen | None:
    if one is None or other is None:
        return other if one is None else one
    return Seen(one.slots & other.slots, one.released or other.released)


def _constant_lets(body: Body) -> dict[str, Expr]:
    """The values of scalars that stand for the same as long as they are there."""
    lets = [stmt for stmt in statements(body) if isinstance(stmt, ir.Let)]
    changing = {stmt.name for stmt in lets if stmt.changes}
    return {stmt.name: stmt.value for stmt in lets if not (changing & {stmt.name, *variables(stmt.value)})}


def _in_turns(body: Body) -> Iterator[ir.Stmt]:
    """The statements in loops."""
    for stmt in body:
        for inner in bodies(stmt):
            yield from statements(inner) if isinstance(stmt, ir.Loop | ir.While) else _in_turns(inner)


def _loops_around(body: Body, arrive: ir.Arrive) -> tuple[ir.Loop | ir.While, ...] | None:
    """The loops around an arrival, from the outside in; None where it is not in a body."""
    for stmt in body:
        if isinstance(stmt, ir.Arrive) and (stmt.span, stmt.slot) == (arrive.span, arrive.slot):
            return ()
        for inner in bodies(stmt):
            found = _loops_around(inner, arrive)
            if found is not None:
                return (stmt, *found) if isinstance(stmt, ir.Loop | ir.While) else found
    return None


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
