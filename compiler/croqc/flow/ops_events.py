"""Steps on events: declare, wait, trigger (credit-flow, section 2). Must not know buffers.

A path's k-th wait on a slot passes when k + 1 generations are complete; what a parity bit would show is checked.
"""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.exprs import Expr, closure
from croqc.flow.neighbours import note_arrival, told_to_all
from croqc.flow.program import Event, Loop
from croqc.flow.state import EventSlot, PathState, Place, Transfer, merge
from croqc.flow.steps import Step, Walk
from croqc.text.span import Span

_COMPLETING = 4  # plain steps that cost as much as completing a generation, beside the arrival
_FIRST = 8  # and as much as the first one of a slot, which was made for it


class EventRef:
    """One operand of a wait or trigger: `index` is the slot, or the order where `ordered`; None for a plain name.
    `phase`: the one that an older `wait<n>` writes."""

    __slots__ = ("code", "event", "index", "ordered", "phase", "span", "where")

    def __init__(self, span: Span, event: Event, index: Expr | None, ordered: bool) -> None:
        self.span = span
        self.where = span  # of the expression that says which slot
        self.event = event
        self.index = index
        self.ordered = ordered
        self.phase: int | None = None
        self.code = closure(index) if index is not None else None

    def slots(self, path: PathState) -> tuple[Sequence[EventSlot], int]:
        """The slots named, and the order's generation (-1 without one). None of them: out of range."""
        event, code = self.event, self.code
        slots = path.events[event.number]
        if code is None:
            return slots.all(), -1
        value = code(path.env) + 0
        if self.ordered:
            return (slots[value % event.slots],), value // event.slots
        if not 0 <= value < event.slots:
            return (), -1
        return (slots[value],), -1

    def exprs(self) -> tuple[Expr, ...]:
        return () if self.index is None else (self.index,)


class Declare(Step):
    """Passing the declaration of an event inside a loop: fresh slots."""

    __slots__ = ("event",)

    def __init__(self, span: Span, event: Event, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.event = event

    def step(self, machine: Walk, path: PathState) -> bool:
        round_ = path.passed.get(self.event, -1) + 1
        path.passed[self.event] = round_
        path.events[self.event.number] = machine.instance(self.event, round_)
        path.pc += 1
        return True


class WaitEvent(Step):
    __slots__ = ("ref",)
    WORD = "wait"

    def __init__(self, ref: EventRef, loops: tuple[Loop, ...]) -> None:
        super().__init__(ref.span, loops)
        self.ref = ref

    def exprs(self) -> Sequence[Expr]:
        return self.ref.exprs()

    def step(self, machine: Walk, path: PathState) -> bool:
        slots, generation = self.ref.slots(path)
        if len(slots) == 1:
            if not self._goes_on(machine, path, slots[0], generation):
                return False
        elif not self._goes_on_at_all(machine, path, slots, generation):
            return False
        path.touched = True
        path.pc += 1
        return True

    def _goes_on_at_all(self, machine: Walk, path: PathState, slots: Sequence[EventSlot], generation: int) -> bool:
        """Waits for several slots, one after the other; for none where the one that is meant is out of range."""
        if not slots:
            machine.fault("range", path.at(self), ref=self.ref)
        if len(slots) > 15:
            machine.spend(len(slots) // 16)
        for slot in slots[path.passed.get(self, 0) :]:
            if not self._goes_on(machine, path, slot, generation):
                return False
            machine.spend(machine.weight)
            path.passed[self] = path.passed.get(self, 0) + 1
        path.passed.pop(self, None)
        return True

    def _goes_on(self, machine: Walk, path: PathState, slot: EventSlot, generation: int) -> bool:
        k = path.waits.get(slot, 0)
        if generation >= 0 and (generation ^ k) & 1:
            machine.fault("order", path.at(self), slot=slot, own=k, order=generation, waits=True)
        if self.ref.phase is not None and not self._is_in_phase(path, slot, self.ref.phase ^ k):
            machine.fault("order", path.at(self), slot=slot, own=k, phase=self.ref.phase, waits=True)
        if slot.completed <= k:
            return False
        self._pass(machine, path, slot, k)
        return True

    @staticmethod
    def _is_in_phase(path: PathState, slot: EventSlot, apart: int) -> bool:
        """Whether a written phase is that of the path's own count. That of a slot which is `= ready` may count from the
        credit at start or from the first completion in the run: what the first wait says holds for the others."""
        if slot.event.ready:
            return path.phases.setdefault(slot, apart & 1) == apart & 1
        return apart & 1 == 0

    def _pass(self, machine: Walk, path: PathState, slot: EventSlot, k: int) -> None:
        at = slot.listed(path.number, k)
        if slot.completed > k + 1:
            ahead = slot.sources[at + 1 - (len(slot.clocks) - len(slot.sources))]
            machine.fault("overrun", machine.arrival(*ahead), path.at(self), slot=slot, generation=k)
        merge(path.clock, slot.clocks[at])
        path.waits[slot] = k + 1
        slot.last_waits[path.number] = (path.clock[path.number], self, path.keep())
        if machine.record is not None:
            machine.note(path, self, slot=slot, generation=k)


class Trigger(Step):
    """Arrivals, with the transfers that land in the same generations. `blocks`: arrivals a slot gets at once."""

    __slots__ = ("after", "blocks", "refs")
    WORD = "trigger"

    def __init__(
        self, span: Span, refs: tuple[EventRef, ...], after: tuple[int, ...], blocks: int, loops: tuple[Loop, ...]
    ) -> None:
        super().__init__(span, loops)
        self.refs = refs
        self.after = after
        self.blocks = blocks

    def exprs(self) -> Sequence[Expr]:
        return [expr for ref in self.refs for expr in ref.exprs()]

    def step(self, machine: Walk, path: PathState) -> bool:
        transfers = [each for handle in self.after if (each := self._bound(machine, path, handle)) is not None]
        touched, tagged = path.touched, path.tagged
        for ref in self.refs:
            slots, generation = ref.slots(path)
            if not slots:
                machine.fault("range", path.at(self), ref=ref)
            if len(slots) > 1:
                machine.spend(machine.weight * (len(slots) - 1))
            for slot in slots:
                if touched:
                    self._count(machine, path, slot, generation)
                if transfers or tagged:
                    self._bind(machine, slot, [*path.tagged.pop(slot, ()), *transfers])
                if self.blocks > 1:
                    note_arrival(machine, path, slot, self.span)
                for _ in range(self.blocks):
                    self._arrive(machine, path, slot)
        path.pc += 1
        return True

    @staticmethod
    def _bind(machine: Walk, slot: EventSlot, transfers: Sequence[Transfer]) -> None:
        """The transfers land with the generation of the slot that is being made up."""
        for transfer in transfers:
            slot.bound.append(transfer)
            machine.accesses.land_with(transfer, slot)
            slot.expected += getattr(transfer.op, "bytes", None) or 0

    def _bound(self, machine: Walk, path: PathState, handle: int) -> Transfer | None:
        transfer = path.handles.get(handle)
        if transfer is None:
            machine.fault("empty-handle", path.at(self), handle=handle)
        elif transfer.bound is not None or (transfer.done and transfer.asynchronous):
            machine.fault("twice", path.at(self), Place(path.number, transfer.op, transfer.env), handle=handle)
            return None
        return transfer

    def _count(self, machine: Walk, path: PathState, slot: EventSlot, generation: int) -> None:
        """An order is compared with the path's own count of steady triggers of the slot."""
        steady = path.steady.get(slot, 0)
        path.steady[slot] = steady + 1
        if generation >= 0 and (generation ^ steady) & 1:
            machine.fault("order", path.at(self), slot=slot, own=steady, order=generation, waits=False)

    def _arrive(self, machine: Walk, path: PathState, slot: EventSlot) -> None:
        clock, number = path.clock, path.number
        for other, epoch in slot.before:
            if clock[other] < epoch:
                machine.fault("mixup", path.at(self), slot=slot, who=other, generation=slot.completed)
                break
        slot.arrivals.append((number, clock[number]))
        merge(slot.clock, clock if self.blocks == 1 else told_to_all(machine, clock))
        path.release(self, slot)
        slot.pending -= 1
        if machine.record is not None:
            word = "trigger" if path.touched else "bootstrap"
            about = {"generation": slot.completed, "pending": slot.pending, "expected": slot.expected}
            slot.traces.append(machine.note(path, self, word, slot=slot, **about))
            slot.expected = 0
        if slot.pending <= 0:
            self._complete(machine, path, slot)

    def _complete(self, machine: Walk, path: PathState, slot: EventSlot) -> None:
        generation = slot.completed
        machine.spend((_COMPLETING if slot.sources else _FIRST) * machine.weight)
        if machine.record is not None:
            for transfer in slot.bound:
                at = machine.note(path, self, "land", slot=slot, generation=generation, transfer=transfer)
                slot.traces.append(at)
        slot.bound.clear()
        clock = slot.clock
        if slot.component >= 0:
            clock[slot.component] = slot.landed = slot.offset + generation + 1
        for waiter, (epoch, op, env) in slot.last_waits.items():
            if clock[waiter] < epoch and machine.paths[waiter].waits.get(slot, 0) == generation:
                machine.fault("overrun", path.at(self), Place(waiter, op, env), slot=slot, generation=generation - 1)
        slot.completed = generation + 1
        slot.clocks.append(clock)
        slot.sources.append(slot.arrivals[-1])
        slot.before, slot.arrivals = slot.arrivals, []
        slot.clock = [0] * len(clock)
        slot.pending = slot.count
        if machine.record is not None:
            machine.grouped[slot, generation] = slot.traces
            slot.traces = []
