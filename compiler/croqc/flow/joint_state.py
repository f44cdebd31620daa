"""The joint state of a run, written down so that only what can decide later steps is left (credit-flow, section 5):
positions, indices as a subclass reduces them, counters relative to their waiters, and the order of epochs instead of
their values. Must not say when two states are compared, nor what follows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from croqc.flow.exprs import Env
from croqc.flow.instances import refs_of
from croqc.flow.joins import meetings
from croqc.flow.machine import Machine
from croqc.flow.ops_control import Set
from croqc.flow.ops_events import Trigger, WaitEvent
from croqc.flow.state import OPEN, Access, EventSlot, Issued, PathState, Transfer

State = tuple[Any, ...]
_FEW = 64  # values of variables that cost next to nothing beside the rest


def state_cost(size: int) -> int:
    """Steps that writing down a state of so many parts is worth."""
    return 4 + 4 * size


class JointState(ABC):
    """Of one run."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.meeting = meetings(machine.before)
        self.ordered = {
            ref.event.number
            for op in machine.program.ops
            if isinstance(op, WaitEvent | Trigger)
            for ref in refs_of(op)
            if ref.ordered or ref.phase is not None
        }
        self.every = range(machine.program.variables)
        self.kept = [op.var for op in machine.program.ops if isinstance(op, Set)]  # what outlives a path's job
        self.numbers = {id(op): place for place, op in enumerate(machine.program.ops)}
        self.signs: dict[tuple[object, ...], int] = {}
        self._present: list[EventSlot] = []

    @abstractmethod
    def reduced(self, number: int, value: int) -> object:
        """What matters of the value of a variable."""

    def spend(self) -> None:
        """Counts what writing down the last state took: as much as that many steps."""
        machine = self.machine
        size = len(machine.accesses.live) + len(self._present) + machine.width
        values = len(machine.paths) * machine.program.variables
        machine.spend(state_cost(size) + max(values - _FEW, 0))

    def state(self) -> State:
        machine = self.machine
        slots = self._present = machine.present()
        marks = self._marks(slots)
        ranks = _Ranks(marks)
        return (
            tuple(self._path(path, ranks) for path in machine.paths),
            tuple(self._slot(slot, ranks) for slot in slots),
            self._accesses(ranks),
            len(machine.accesses.written),  # nothing is ever taken out
            tuple(machine.barriers.here),
            tuple(map(ranks.of, machine.barriers.clocks())),
            self._turns(),
            tuple(self._bar(number, ranks) for number in sorted(machine.barriers.named)),
        )

    def _turns(self) -> State:
        """Where unlike `parallel`s wait for each other: which fork each is at, as seen from the one farthest behind of
        those that do. Others may be ever so far ahead."""
        found: list[int | None] = []
        for meeting in self.meeting:
            paths = [self.machine.paths[number] for number in meeting]
            jobs = [path.present or (path.jobs[0] if path.jobs else None) for path in paths]
            least = min((job.number for job in jobs if job is not None), default=0)
            found += [None if job is None else job.number - least for job in jobs]
        return tuple(found)

    def _marks(self, slots: list[EventSlot]) -> list[set[int]]:
        """For each component of a clock the values that something may still be compared with."""
        marks: list[set[int]] = [set() for _ in range(self.machine.own)]
        for path in self.machine.paths:
            marks[path.number].add(path.epoch)
            for transfer in (*path.handles.values(), *(alias.transfer for alias in path.aliases.values())):
                if transfer is not None and transfer.bound is not None:
                    marks[transfer.bound[0]].add(transfer.bound[1])
            for each in path.uncommitted:
                if each.access is not None and each.transfer is None:
                    marks[each.access.path].add(each.access.begin)
        for slot in slots:
            for number, epoch in (*slot.arrivals, *slot.before):
                marks[number].add(epoch)
            for number, (epoch, _, _) in slot.last_waits.items():
                marks[number].add(epoch)
            if slot.component >= 0:
                marks[slot.component].add(slot.offset + slot.completed)
        for live in self.machine.accesses.live.values():
            for access in live:
                marks[access.index].add(access.end)
        self._mark_barriers(marks)
        return marks * (self.machine.width // self.machine.own)

    def _mark_barriers(self, marks: list[set[int]]) -> None:
        for barrier in self.machine.barriers.named.values():
            for number, epoch in (*barrier.parts, *barrier.before):
                marks[number].add(epoch)

    def _path(self, path: PathState, ranks: _Ranks) -> State:
        return (
            path.pc,
            path.idle,
            path.left,
            path.touched,
            bool(path.jobs),
            path.met is None,
            self._values(path.env, self.kept if path.idle else self.every),
            ranks.of(path.clock),
            tuple(ranks.of(clock) for clock in path.ended.values()),
            tuple((handle, self._transfer(transfer, ranks)) for handle, transfer in sorted(path.handles.items())),
            tuple(sorted(path.homes.items())),
            tuple(map(self._issued, path.uncommitted)),
            tuple((slot.event.number, slot.index, len(transfers)) for slot, transfers in path.tagged.items()),
            tuple(
                (number, tuple(alias.slots), self._transfer(alias.transfer, ranks))
                for number, alias in sorted(path.aliases.items())
            ),
        )

    def _values(self, env: Env, numbers: Sequence[int]) -> State:
        """What is known, reduced to what matters of it."""
        found: list[Any] = []
        for number in numbers:
            value = env[number]
            found.append(self.reduced(number, value) if isinstance(value, int) else "?")
        return tuple(found)

    def _issued(self, issued: Issued) -> State:
        op = None if issued.access is None else (issued.access.slot, self.numbers[id(issued.access.op)])
        transfer = issued.transfer
        return issued.accumulator, op, None if transfer is None else (self.numbers[id(transfer.op)], transfer.done)

    def _transfer(self, transfer: Transfer | None, ranks: _Ranks) -> Any:
        if transfer is None:
            return None
        bound = None if transfer.bound is None else (transfer.bound[0], ranks.one(*transfer.bound))
        return self.numbers[id(transfer.op)], transfer.slots, transfer.done, bound

    def _slot(self, slot: EventSlot, ranks: _Ranks) -> State:
        waits = [(path.number, path.waits.get(slot, 0)) for path in self.machine.paths if slot in path.waits]
        ordered = slot.event.number in self.ordered
        least = min((count for _, count in waits), default=slot.completed)
        return (
            slot.completed - least,
            slot.completed & 1 if ordered else 0,
            slot.completed == 0,
            slot.pending,
            len(slot.bound),
            tuple((number, count - least) for number, count in waits),
            tuple(path.steady.get(slot, 0) & 1 for path in self.machine.paths) if ordered else (),
            tuple((number, ranks.one(number, epoch)) for number, epoch in slot.arrivals),
            tuple((number, ranks.one(number, epoch)) for number, epoch in slot.before),
            tuple((number, ranks.one(number, last[0])) for number, last in sorted(slot.last_waits.items())),
            ranks.of(slot.clock),
            tuple(ranks.of(clock) for clock in slot.clocks[max(max(least, slot.completed - 2) - slot.skipped, 0) :]),
        )

    def _bar(self, number: int, ranks: _Ranks) -> State:
        barrier = self.machine.barriers.named[number]
        here = tuple((who, ranks.one(who, epoch)) for who, epoch in barrier.parts)
        before = tuple((who, ranks.one(who, epoch)) for who, epoch in barrier.before)
        return number, barrier.arrived, here, before, ranks.of(barrier.clock)

    def _accesses(self, ranks: _Ranks) -> State:
        """Every live access, slot by slot: slots stand in the order in which they were first touched."""
        found: list[int] = []
        marks = ranks.marks
        for live in self.machine.accesses.live.values():
            for access in live:
                index, end = access.index, access.end
                sign = access.sign if access.sign >= 0 else self._sign(access)
                found += (sign, index, -1 if end == OPEN else bisect_right(marks[index], end))
        return tuple(found)

    def _sign(self, access: Access) -> int:
        about = (access.slot, access.path, self.numbers[id(access.op)], access.write)
        place = self.machine.accesses.place(access)
        access.sign = self.signs.setdefault((*about, place), len(self.signs))
        return access.sign


class _Ranks:
    """Epochs by their place among those that matter."""

    def __init__(self, marks: list[set[int]]) -> None:
        self.marks = [sorted(each) for each in marks]

    def one(self, component: int, value: int) -> int:
        return bisect_right(self.marks[component], value)

    def of(self, clock: list[int]) -> tuple[int, ...]:
        return tuple(map(bisect_right, self.marks, clock))
