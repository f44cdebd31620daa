"""Explores every interleaving of a small instance. Deliberately simple: states, successors, a set of states seen.

Must not use `croqc.flow`. Barriers behave as the hardware's: one parity bit, undefined beyond a generation's count.
A race is a state in which two conflicting accesses could both happen next, or one could while the other goes on.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import product

from croqc.sema.model import Model
from tests.truth import unroll_statements as _registered  # noqa: F401
from tests.truth.evaluate import UnsupportedError
from tests.truth.ops import Instance, Kind, Op, Slot, Touch, conflict, overlap
from tests.truth.program import Program, Sizes
from tests.truth.unroll import count_arrivals, unroll

STATES = 40_000
HARD = frozenset({"deadlock", "race", "overrun", "surplus", "unwritten"})
"""Faults that show in some schedule. "mixup" and "parity" are side conditions of credit-flow, section 2; "twice" and
"unwaited" are against the rules of futures; "left": credits that nobody took."""


@dataclass(frozen=True, slots=True)
class Explored:
    """`faults` found in `states` states; `complete`: every state was seen, or a hard fault ended the search."""

    faults: frozenset[str]
    states: int
    complete: bool
    sizes: Sizes = field(default_factory=dict)
    detail: str = ""

    @property
    def hard(self) -> bool:
        return bool(self.faults & HARD)


Writer = tuple[int, int, int | None]
"""Path, index and flight of a write."""
State = tuple[tuple[int, ...], tuple[tuple[int, int, int], ...], frozenset[int]]
"""Program counters; completed, pending and outstanding copies of each slot; copies in flight."""


class Explorer:
    """One instance, with what can be known before the search."""

    parity = False

    def __init__(self, instance: Instance) -> None:
        self.names, self.paths = list(instance.paths), list(instance.paths.values())
        self.slots = sorted({op.slot for ops in self.paths for op in ops if op.slot is not None} | set(instance.counts))
        self.number = {slot: number for number, slot in enumerate(self.slots)}
        self.counts = [max(instance.counts.get(slot, 1), 1) for slot in self.slots]
        self.ready = [int(slot in instance.ready) for slot in self.slots]
        self.flights = {op.flights[0]: op for ops in self.paths for op in ops if op.kind is Kind.START}
        self.binding: dict[int, tuple[int, int, int]] = {}  # copy: path, index and slot of the arrival it belongs to
        self.waits: list[dict[int, list[int]]] = []
        self.arrivals: list[dict[int, list[int]]] = []
        self.granted = {number for number, ready in enumerate(self.ready) if ready}
        for path, ops in enumerate(self.paths):
            self._index(path, ops)
        self.alone = [[self._is_alone(path, op) for op in ops] for path, ops in enumerate(self.paths)]
        self.open = [_under_way(ops) for ops in self.paths]
        self.writes = [
            (touch, path, index, op.flights[0] if op.kind is Kind.START else None)
            for path, ops in enumerate(self.paths)
            for index, op in enumerate(ops)
            for touch in op.touches
            if touch.write
        ]
        self.sources: dict[Touch, list[list[Writer]]] = {}
        self.known: dict[tuple[int, int], bool] = {}
        self.faults: set[str] = set(instance.formal)
        self.detail = ""

    def _index(self, path: int, ops: list[Op]) -> None:
        waits: dict[int, list[int]] = {}
        arrivals: dict[int, list[int]] = {}
        steady: dict[int, int] = {}
        active = False
        for index, op in enumerate(ops):
            active = active or op.kind not in (Kind.ARRIVE, Kind.BARRIER)
            if op.kind is Kind.WAIT and op.slot is not None:
                before = waits.setdefault(self.number[op.slot], [])
                if op.parity != len(before) & 1:
                    self.parity = True
                before.append(index)
            elif op.kind is Kind.ARRIVE and op.slot is not None:
                slot = self.number[op.slot]
                arrivals.setdefault(slot, []).append(index)
                if active:
                    if op.parity >= 0 and op.parity != steady.get(slot, 0) & 1:
                        self.parity = True
                    steady[slot] = steady.get(slot, 0) + 1
                else:
                    self.granted.add(slot)
                for flight in op.flights:
                    self.binding.setdefault(flight, (path, index, self.number[op.slot]))
        self.waits.append(waits)
        self.arrivals.append(arrivals)

    def _is_alone(self, path: int, op: Op) -> bool:
        """Whether an access can be made at once: nobody else ever touches what it touches."""
        if op.kind is not Kind.TOUCH:
            return False
        others = [each for other, ops in enumerate(self.paths) if other != path for each in ops]
        mine = [each for each in self.paths[path] if each.kind in (Kind.START, Kind.OPEN)]
        return not any(conflict(a, b) for each in (*others, *mine) for a in op.touches for b in each.touches)

    def fault(self, kind: str, detail: str) -> None:
        self.faults.add(kind)
        self.detail = self.detail or f"{kind}: {detail}"

    # --- exploration -----------------------------------------------------------------------------

    def explore(self, limit: int) -> tuple[int, bool]:
        if self.parity:
            self.fault("parity", "an order's parity is not that of the path's own count")
        start: State = (
            tuple(0 for _ in self.paths),
            tuple((ready, count, 0) for ready, count in zip(self.ready, self.counts, strict=True)),
            frozenset(),
        )
        seen, stack = {start}, [start]
        while stack:
            if len(seen) > limit:
                return len(seen), False
            for after in self.successors(stack.pop()):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
            if self.faults & HARD:
                return len(seen), True
        return len(seen), True

    def successors(self, state: State) -> list[State]:
        pcs, events, flying = state
        heads = [(path, ops[pc]) for path, (ops, pc) in enumerate(zip(self.paths, pcs, strict=True)) if pc < len(ops)]
        for path, op in heads:
            if self.alone[path][pcs[path]]:
                self._check_access(state, path, op, heads)
                return [(_next(pcs, path), events, flying)]
        found = [self._landed(state, flight) for flight in flying]
        for path, op in heads:
            if op.touches:
                self._check_access(state, path, op, heads)
            after = self._step(state, path, op)
            if after is not None:
                found.append(after)
        if heads and all(op.kind is Kind.BARRIER for _, op in heads) and len(heads) == len(self.paths):
            found.append((tuple(pc + 1 for pc in pcs), events, flying))
        if not heads and not flying:
            self._check_left(events)
        if not found and heads:
            self.fault("deadlock", "; ".join(f"{self.names[path]} at {op.place}" for path, op in heads))
        return found

    def _step(self, state: State, path: int, op: Op) -> State | None:
        """The state after a path's next operation; None where it must wait."""
        pcs, events, flying = state
        moved = _next(pcs, path)
        match op.kind:
            case Kind.WAIT:
                completed = events[self._slot(op)][0]
                return None if completed & 1 == op.parity else (moved, events, flying)
            case Kind.ARRIVE:
                return moved, self._arrive(state, path, op), flying
            case Kind.START:
                return moved, events, flying | set(op.flights)
            case Kind.LANDED:
                return None if flying & set(op.flights) else (moved, events, flying)
            case Kind.BARRIER:
                return None
        return moved, events, flying

    def _slot(self, op: Op) -> int:
        assert op.slot is not None
        return self.number[op.slot]

    def _arrive(self, state: State, path: int, op: Op) -> tuple[tuple[int, int, int], ...]:
        pcs, events, flying = state
        slot = self._slot(op)
        completed, pending, bytes_ = events[slot]
        if pending == 0:
            self.fault("surplus", f"{self.names[path]} arrives beyond the count at {op.place}")
            return events
        own = bisect_left(self.arrivals[path][slot], pcs[path]) + self.ready[slot]
        if own != completed and self.counts[slot] > 1:
            self.fault("mixup", f"arrival {own} of {self.names[path]} in generation {completed} at {op.place}")
        bytes_ += sum(flight in flying for flight in op.flights)
        return self._changed(events, slot, (completed, pending - 1, bytes_), pcs, path)

    def _landed(self, state: State, flight: int) -> State:
        pcs, events, flying = state
        bound = self.binding.get(flight)
        if bound is not None and pcs[bound[0]] > bound[1]:
            slot = bound[2]
            completed, pending, bytes_ = events[slot]
            events = self._changed(events, slot, (completed, pending, bytes_ - 1), pcs, -1)
        return pcs, events, flying - {flight}

    def _changed(
        self,
        events: tuple[tuple[int, int, int], ...],
        slot: int,
        now: tuple[int, int, int],
        pcs: tuple[int, ...],
        path: int,
    ) -> tuple[tuple[int, int, int], ...]:
        completed, pending, bytes_ = now
        if pending == 0 and bytes_ == 0:
            completed, pending = completed + 1, self.counts[slot]
            self._check_overrun(slot, completed, pcs)
        return (*events[:slot], (completed, pending, bytes_), *events[slot + 1 :])

    # --- faults ----------------------------------------------------------------------------------

    def _check_overrun(self, slot: int, completed: int, pcs: tuple[int, ...]) -> None:
        for path, waits in enumerate(self.waits):
            places = waits.get(slot, [])
            done = bisect_left(places, pcs[path])
            if done < len(places) and completed - done >= 2:
                self.fault("overrun", f"{self.names[path]} has not waited at {self.paths[path][places[done]].place}")

    def _check_left(self, events: tuple[tuple[int, int, int], ...]) -> None:
        """Generations that nobody waited for, on slots whose credits nobody gave beforehand."""
        for slot, (completed, _, _) in enumerate(events):
            waited = [len(waits[slot]) for waits in self.waits if slot in waits]
            taken = min(waited, default=0)
            if slot not in self.granted and completed > taken:
                self.fault("left", f"{completed} generations, {taken} waits on slot {self.slots[slot]}")

    def _check_access(self, state: State, path: int, op: Op, heads: list[tuple[int, Op]]) -> None:
        pcs, _, flying = state
        for other, head in heads:
            if other != path and self.conflict(op, head):
                self.fault("race", f"{self.names[path]} at {op.place}, {self.names[other]} at {head.place}")
        for flight in flying:
            if self.conflict(op, self.flights[flight]):
                self.fault("race", f"{self.names[path]} at {op.place}, copy of {self.flights[flight].place}")
        for other, pc in enumerate(pcs):
            for opened in self.open[other][pc]:
                if self.conflict(op, opened):
                    place = f"multiply of {self.names[other]} at {opened.place}"
                    self.fault("race", f"{self.names[path]} at {op.place}, {place}")
        if any(not touch.write and not self._is_written(touch, pcs, flying) for touch in op.touches):
            self.fault("unwritten", f"{self.names[path]} at {op.place}")

    def _is_written(self, touch: Touch, pcs: tuple[int, ...], flying: frozenset[int]) -> bool:
        """Whether every part of what is read has been written."""
        cells = self.sources.get(touch)
        if cells is None:
            writes = [each for each in self.writes if overlap(each[0], touch)]
            cells = self.sources[touch] = [
                [(path, index, flight) for box, path, index, flight in writes if _covers(box, cell)]
                for cell in _cells(touch, [each[0] for each in writes])
            ]
        return all(
            any(pcs[path] > index and (flight is None or flight not in flying) for path, index, flight in cell)
            for cell in cells
        )

    def conflict(self, a: Op, b: Op) -> bool:
        key = (id(a), id(b))
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = any(conflict(one, two) for one in a.touches for two in b.touches)
        return found


def _under_way(ops: list[Op]) -> list[tuple[Op, ...]]:
    """The multiplies that are under way before each operation, and at the end."""
    going: dict[int, Op] = {}
    found: list[tuple[Op, ...]] = [()]
    for op in ops:
        if op.kind is Kind.OPEN:
            going[op.flights[0]] = op
        elif op.kind is Kind.CLOSE:
            for flight in op.flights:
                going.pop(flight, None)
        found.append(tuple(going.values()))
    return found


def _cells(touch: Touch, writes: list[Touch]) -> list[tuple[int, ...]]:
    """A point in each part of what is read that the bounds of the writes divide it into."""
    axes = []
    for axis, (lo, hi) in enumerate(touch.box):
        starts = {lo, *(bound for each in writes for bound in each.box[axis] if lo < bound < hi)}
        axes.append(sorted(starts))
    return list(product(*axes))


def _covers(touch: Touch, cell: tuple[int, ...]) -> bool:
    return all(lo <= at < hi for (lo, hi), at in zip(touch.box, cell, strict=True))


def _next(pcs: tuple[int, ...], path: int) -> tuple[int, ...]:
    return (*pcs[:path], pcs[path] + 1, *pcs[path + 1 :])


def explore_program(program: Program, model: Model, limit: int = STATES) -> Explored | None:
    """The first hard fault in any of the program's instances, smallest first; None where data decides."""
    try:
        instances = [(sizes, unroll(model, sizes, last)) for sizes in program.sizes for last in (False, True)]
    except UnsupportedError:
        return None
    counts = count_arrivals([instance for _, instance in instances])
    faults: set[str] = set()
    states, complete, detail = 0, True, ""
    seen: list[dict[str, list[Op]]] = []
    for sizes, instance in sorted(instances, key=lambda item: sum(map(len, item[1].paths.values()))):
        if instance.paths in seen:
            continue
        seen.append(instance.paths)
        instance.counts = counts
        explorer = Explorer(instance)
        count, whole = explorer.explore(limit)
        states, complete = states + count, complete and whole
        faults |= explorer.faults
        detail = detail or explorer.detail
        if explorer.faults & HARD:
            return Explored(frozenset(faults), states, True, sizes, explorer.detail)
    return Explored(frozenset(faults), states, complete, detail=detail)


__all__ = ["HARD", "Explored", "Slot", "explore_program"]
