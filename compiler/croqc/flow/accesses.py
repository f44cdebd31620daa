"""Accesses of a run: which intervals on a slot are ordered, and which are not (credit-flow, sections 3 and 4).

Of every slot the accesses are kept that a later one could still conflict with. Must not know statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from weakref import proxy

from croqc.flow.exprs import UndecidedError, closure
from croqc.flow.overlaps import overlap
from croqc.flow.paths import Path
from croqc.flow.program import Op
from croqc.flow.regions import Interval, Operand
from croqc.flow.run import Run
from croqc.flow.state import OPEN, Access, EventSlot, PathState, Place, Transfer
from croqc.sema.masks import Mask, members
from croqc.text.span import Span

_NONE: Sequence[Access] = ()
_DEPTH = 3  # loops around an access that cost as much as a plain step
_MET = 16  # and slots and other accesses that it meets
_CROWD = 64  # as long as these are few: beyond, comparing them is all that an access takes
_COMPARED = 3


class Accesses:
    def __init__(self, machine: Run) -> None:
        self.machine: Run = proxy(machine)  # no circle: a run that is done with is freed at once
        self.weight = machine.weight
        program = machine.program
        self.live: dict[int, list[Access]] = {}
        self.filled = [(stage.first, stage.first + stage.slots) for stage in program.stages if stage.written]
        self.written: set[int] = set()
        self.unwritten: dict[int, Access] = {}
        self.raced: set[int] = set()
        self.unclear: tuple[Span, str] | None = None
        self.partly = program.partly
        self.parts: dict[tuple[object, ...], Access] = {}  # of slots that are written in part: each place once
        self._over: dict[tuple[int, Mask | None], dict[int, Interval]] = {}

    def touch(
        self,
        path: PathState,
        op: Op,
        operand: Operand,
        slots: Iterable[int],
        write: bool,
        lasting: bool = False,
    ) -> list[Access]:
        """One access of each slot. `lasting`: it goes on until somebody ends it.

        `round` is how many times before the path has touched the slot so, once an iteration.
        """
        made: list[Access] = []
        clock, number, env = path.clock, path.number, path.keep()
        now, iteration, rounds, all_live = clock[number], path.iteration(op), path.rounds, self.live
        hides: bool | None = None if write and operand.whole else False
        met = 0
        for slot in slots:
            key = 2 * slot + write
            before = rounds.get(key)
            if before is None:
                before = rounds[key] = (0, iteration)
            elif before[1] is not iteration and before[1] != iteration:
                before = rounds[key] = (before[0] + 1, iteration)
            access = Access(number, op, operand, slot, write, now, env, before[0])
            if lasting:
                access.end = OPEN
            live = all_live.get(slot, _NONE)
            met += 1 + len(live)
            if hides is None and live:
                hides = operand.exact(env)
            all_live[slot] = self._kept(path, access, live, bool(hides))
            if slot not in self.written:
                self._note(path, access)
            made.append(access)
        crowd = max(met - _CROWD, 0) // _COMPARED
        self.machine.spend((1 + len(op.loops) // _DEPTH + met // _MET + crowd) * self.weight)
        if self.partly:
            self._keep_parts(made, path)
        return made

    def _kept(self, path: PathState, access: Access, live: Iterable[Access], hides: bool) -> list[Access]:
        """What a later access of the slot could still conflict with. `hides`: who comes after the access also comes
        after whatever is over now, and conflicts with it if with that."""
        clock, write = path.clock, access.write
        kept: list[Access] = []
        for other in live:
            if clock[other.index] >= other.end:
                if hides or self._repeats(access, other):
                    continue
            elif write or other.write:
                self._conflict(path, access, other)
            kept.append(other)
        kept.append(access)
        return kept

    def _note(self, path: PathState, access: Access) -> None:
        """Whether a slot that nobody has written yet is read before it is written."""
        slot = access.slot
        if access.write:
            self.written.add(slot)
            if slot in self.unwritten:
                self._told_early(path, self.unwritten.pop(slot))
        elif slot not in self.unwritten and not self._is_filled(slot):
            if access.operand.exact(access.env):
                self.unwritten[slot] = access
            else:
                self.unclear = self.unclear or (access.op.span, "which part of a buffer is read here cannot be told")

    def _keep_parts(self, made: Iterable[Access], path: PathState) -> None:
        """Keeps what is touched of slots that are written in part, when it is first."""
        for access in made:
            if access.slot in self.partly:
                access.unknown = path.unknown
                place = self.place(access)
                fixed = not access.op.guards and all(isinstance(low, int) for low in place)
                who, when = -1 if fixed else access.path, _moment(access) if access.op.guards else ()
                key = (id(access.op), id(access.operand), access.slot, access.write, who, place, when)
                if key not in self.parts:
                    self.parts[key] = access
                    access.clock = path.clock[:]

    def place(self, access: Access) -> tuple[object, ...]:
        """Where the part of an access lies: of one operand and path, equal ones are the same part as far as can be
        told."""
        if access.place is None:
            access.place = access.operand.place(access.env, self.over(access.path, access.op.only))
        return access.place

    def _repeats(self, access: Access, other: Access) -> bool:
        """Whether both are the same step of one path on the same part: who conflicts with the other, conflicts with
        it."""
        same = access.op is other.op and access.path == other.path and access.operand is other.operand
        return same and self.place(access) == self.place(other)

    def _told_early(self, path: PathState, early: Access) -> None:
        """A slot is written that was read before: where the read is not over, that is a race, and told as one."""
        if early.over(path.clock):
            self._tell_unwritten(early)

    def _is_filled(self, slot: int) -> bool:
        return any(first <= slot < behind for first, behind in self.filled)

    def _tell_unwritten(self, access: Access) -> None:
        at = Place(access.path, access.op, access.env)
        self.machine.fault("unwritten", at, slot=access.slot, operand=access.operand)

    def close(self) -> None:
        """What is left when nobody goes on."""
        for access in self.unwritten.values():
            self._tell_unwritten(access)

    # --- conflicts --------------------------------------------------------------------------------

    def _conflict(self, path: PathState, access: Access, other: Access) -> None:
        machine = self.machine
        together = access.op is other.op and access.op.together and access.path != other.path
        if together or (access.op.atomic and other.op.atomic):
            return
        over, there = self.over(access.path, access.op.only), self.over(other.path, other.op.only)
        shared = overlap(access.operand, access.env, over, other.operand, other.env, there)
        if shared is False:
            return
        unsure = access.op.maybe or other.op.maybe
        if shared is None or unsure:
            told = unsure or "whether two parts of a buffer overlap cannot be told"
            self.unclear = self.unclear or (access.op.span, told)
            return
        place = Place(other.path, other.op, other.env)
        self.raced.add(access.slot)
        own = other.transfer is not None and access.path == other.path
        if own and other.write and not access.write:
            machine.fault("early-read", path.at(access.op), place, transfer=other.transfer, operand=access.operand)
            return
        machine.fault("race", path.at(access.op), place, first=other, second=access, known=path.clock[other.path])

    def over(self, number: int, only: Mask | None = None) -> dict[int, Interval]:
        """The values that variables take at once on a path, or in some of its threads: indices of threads, and loops
        that were drawn together."""
        found = self._over.get((number, only))
        if found is None:
            found = self._over[number, only] = self._ranges(number, only)
        return found

    def _ranges(self, number: int, only: Mask | None) -> dict[int, Interval]:
        machine = self.machine
        program, ranges = machine.program, {}
        paths = machine.setting.paths
        threads = paths[number].threads if number < len(paths) else None
        some = () if only is None else _taking(paths[number] if number < len(paths) else None, only)
        for place in machine.setting.placements:
            if place.symbol in program.placed and place.symbol is not None:
                values = range(place.bound)
                if some:
                    taken = [place.value(thread) for thread in some]
                    values = range(min(taken), max(taken) + 1)
                elif threads is not None and len(threads) > 0:
                    low, high = threads[0] // place.unit, threads[-1] // place.unit
                    values = range(low, high + 1) if high < place.bound else values
                ranges[program.placed[place.symbol]] = (values[0], values[-1])
        env = machine.paths[number].env
        for loop in program.drawn:
            try:
                low, high = closure(loop.low)(env), closure(loop.high)(env)
            except UndecidedError:
                continue
            if isinstance(low, int) and isinstance(high, int):
                ranges[loop.var] = (low, max(low, high - 1))
        return ranges

    # --- ends -------------------------------------------------------------------------------------

    def land_with(self, transfer: Transfer, slot: EventSlot) -> None:
        """The transfer's accesses end with the generation of the slot that is being made up."""
        generation = slot.offset + slot.completed + 1
        transfer.bound = (slot.component, generation)
        for access in transfer.accesses:
            access.index, access.end = slot.component, generation

    @staticmethod
    def end(path: PathState, accesses: Iterable[Access]) -> None:
        """The accesses end here, in the order of the path."""
        for access in accesses:
            access.index, access.end = path.number, path.epoch


def _moment(access: Access) -> tuple[object, ...]:
    """What the conditions of an access come to at its time; all that can be known, where that is not."""
    guards, env = access.op.guards, access.env
    if any(not expr.known for expr, _ in guards):
        return (*env, access.unknown)
    found = tuple(env[var] for expr, _ in guards for var in sorted(expr.variables()))
    return found if all(isinstance(value, int) for value in found) else (*found, access.unknown)


def _taking(path: Path | None, only: Mask | None) -> Sequence[int]:
    """The threads of a path, or of the block, that conditions leave."""
    if path is None or not path.thread_count:
        return list(members(only or 0))
    return path.numbers if only is None else [thread for thread in path.numbers if only >> thread & 1]
