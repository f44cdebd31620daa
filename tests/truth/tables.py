"""What the exhaustive search asks of an operation in every state, worked out once for each of an instance.

Must not use `croqc.flow`, and must not search.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import product
from typing import NamedTuple

from tests.truth.ops import Instance, Kind, Op, Touch, conflict, overlap

Cell = tuple[tuple[int, int, int], ...]
"""Who writes a part: the path's first bit, index, and the flight as a bit of the state (0 for a synchronous access)."""
COUNTER = 16
"""Bits of a path's program counter. A state is one number: the counters, the first path's lowest; the slots; a bit for
each copy in flight."""
PENDING, COMPLETED, SLOT = 10, 20, 40
"""Bits of a slot: outstanding copies below PENDING, pending arrivals, completed generations from COMPLETED on."""
PCS, ARRIVALS, FIELD, OPEN = (1 << COUNTER) - 1, (1 << PENDING) - 1, (1 << SLOT) - 1, (1 << COMPLETED) - 1


Meeting = tuple[int, int, frozenset[int], frozenset[int]]
"""Another path's number and first bit; where its next operation conflicts; where a multiply under way does."""


class Step(NamedTuple):
    """An operation. It cannot be made while what `mask` leaves of the state is in `blocked`; when it is made, `clears`
    is taken out of the state and `move` added. Of an arrival: the slot, its first bit, the arrival's number on its
    path, the bits of its copies.

    `eager`: it can be made at once, because nothing that another path does or sees depends on when.
    `meets`: for each path the indices at which it conflicts, as its next operation or by a multiply under way.
    `meets_flights`: copies, as bits, that it conflicts with. `cells`: the writers of each part of what it reads.
    """

    path: int
    op: Op
    mask: int
    blocked: frozenset[int]
    move: int
    clears: int
    arrives: bool
    slot: int
    shift: int
    own: int
    each: tuple[int, ...]
    touches: bool
    eager: bool
    meets: tuple[Meeting, ...]
    meets_flights: int
    cells: tuple[Cell, ...]


class Tables:
    """An instance with its paths' steps and what holds of its slots."""

    def __init__(self, instance: Instance) -> None:
        self.names, self.paths = list(instance.paths), list(instance.paths.values())
        self.slots = sorted({op.slot for ops in self.paths for op in ops if op.slot is not None} | set(instance.counts))
        self.number = {slot: number for number, slot in enumerate(self.slots)}
        self.counts = [max(instance.counts.get(slot, 1), 1) for slot in self.slots]
        self.ready = [int(slot in instance.ready) for slot in self.slots]
        flights = sorted(op.flights[0] for ops in self.paths for op in ops if op.kind is Kind.START)
        self.flying = COUNTER * len(self.paths) + SLOT * len(self.slots)  # the first bit of the copies
        self.bit = {flight: 1 << self.flying + place for place, flight in enumerate(flights)}
        self.flights = {self.bit[op.flights[0]]: op for ops in self.paths for op in ops if op.kind is Kind.START}
        self.binding: dict[int, tuple[int, int, int]] = {}  # copy: path, index and slot of the arrival it belongs to
        self.waits: list[dict[int, list[int]]] = []
        self.arrivals: list[dict[int, list[int]]] = []
        self.granted = {number for number, ready in enumerate(self.ready) if ready}
        self.parity = False
        for path, ops in enumerate(self.paths):
            self._index(path, ops)
        self.done = [self._done(slot) for slot in range(len(self.slots))]
        self.open = [_under_way(ops) for ops in self.paths]
        self.writes = [
            (touch, COUNTER * path, index, self.bit[op.flights[0]] if op.kind is Kind.START else 0)
            for path, ops in enumerate(self.paths)
            for index, op in enumerate(ops)
            for touch in op.touches
            if touch.write
        ]
        self._known: dict[tuple[int, int], bool] = {}
        self._cells: dict[Touch, tuple[Cell, ...]] = {}
        self._touching = [[(at, op) for at, op in enumerate(ops) if op.touches] for ops in self.paths]
        self._opened = [_indices(opened) for opened in self.open]
        self._starts = [
            {op.flights[0]: self._is_unseen(path, op) for op in ops if op.kind is Kind.START}
            for path, ops in enumerate(self.paths)
        ]
        self._quiet = {
            op.flights[0]: self._is_unseen(path, op)
            for path, ops in enumerate(self.paths)
            for op in ops
            if op.kind is Kind.OPEN
        }
        self.steps = [[self._step(path, at, op) for at, op in enumerate(ops)] for path, ops in enumerate(self.paths)]
        pairs = zip(self.ready, self.counts, strict=True)
        self.landing = sum(bit for bit in self.flights if bit in self.binding)
        """The copies whose landing is a step of its own. One that is only waited for lands with that wait: till then it
        conflicts and what it writes is missing, and its landing makes nothing possible but the wait."""
        self.start = sum(
            (ready << COMPLETED | count << PENDING) << self.shift(slot) for slot, (ready, count) in enumerate(pairs)
        )

    def shift(self, slot: int) -> int:
        """The first bit of a slot in a state."""
        return COUNTER * len(self.paths) + SLOT * slot

    def _index(self, path: int, ops: list[Op]) -> None:
        waits: dict[int, list[int]] = {}
        arrivals: dict[int, list[int]] = {}
        steady: dict[int, int] = {}
        active = False
        for index, op in enumerate(ops):
            active = active or (op.kind not in (Kind.ARRIVE, Kind.BARRIER) and not op.hidden)
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
                    self.binding.setdefault(self.bit.get(flight, 0), (path, index, slot))
        self.waits.append(waits)
        self.arrivals.append(arrivals)

    def _done(self, slot: int) -> list[tuple[int, list[int]]]:
        """Who waits for a slot: the path, and for each of its indices the waits done; beyond the last, far more."""
        found = []
        for path, waits in enumerate(self.waits):
            places = waits.get(slot)
            if places:
                before = [bisect_left(places, at) for at in range(len(self.paths[path]) + 1)]
                found.append((path, [done if done < len(places) else 1 << 30 for done in before]))
        return found

    # --- steps ------------------------------------------------------------------------------------

    def _step(self, path: int, at: int, op: Op) -> Step:
        slot = -1 if op.slot is None else self.number[op.slot]
        arrives = op.kind is Kind.ARRIVE
        bits = tuple(self.bit.get(flight, 0) for flight in op.flights)
        reads = [touch for touch in op.touches if not touch.write]
        mask, blocked = self._blocked(op, slot, bits)
        return Step(
            path,
            op,
            mask,
            blocked,
            (1 << COUNTER * path) + (bits[0] if op.kind is Kind.START else 0),
            sum(set(bits) - self.binding.keys()) if op.kind is Kind.LANDED else 0,
            arrives,
            slot,
            self.shift(slot) if arrives else 0,
            bisect_left(self.arrivals[path][slot], at) + self.ready[slot] if arrives else -1,
            bits if arrives else (),
            bool(op.touches),
            self._is_eager(path, op),
            tuple(self._meets(path, op)) if op.touches else (),
            sum(bit for bit, other in self.flights.items() if self.conflict(op, other)) if op.touches else 0,
            tuple(cell for touch in reads for cell in self._writers(touch)),
        )

    def _blocked(self, op: Op, slot: int, bits: tuple[int, ...]) -> tuple[int, frozenset[int]]:
        """Which bits of the state say whether an operation must wait, and with which values it must."""
        match op.kind:
            case Kind.BARRIER:  # made for all paths at once
                return 0, frozenset({0})
            case Kind.WAIT:
                place = self.shift(slot) + COMPLETED
                return 1 << place, frozenset({op.parity << place})
            case Kind.LANDED:
                sums = {0}
                for bit in self.binding.keys() & set(bits):
                    sums |= {each | bit for each in sums}
                return max(sums), frozenset(sums - {0})
        return 0, frozenset()

    def _is_eager(self, path: int, op: Op) -> bool:
        """What nobody else touches, waiting for own copies of it, the end of multiplies that read it, and what orders
        paths of the same threads.

        Another path's operations and what is found in them do not depend on whether such a step was made before or
        after them, and it stays possible once it is possible: one order stands for all.
        """
        if op.hidden:
            return True
        if op.kind is Kind.LANDED:
            return all(self._starts[path].get(flight, False) for flight in op.flights)
        if op.kind is Kind.CLOSE:
            return all(self._quiet.get(flight, False) for flight in op.flights)
        return op.kind is Kind.TOUCH and self._is_unseen(path, op) and self._is_apart(path, op)

    def _is_unseen(self, path: int, op: Op) -> bool:
        """Whether no other path ever touches what an operation touches, in a conflict."""
        others = (each for other, touching in enumerate(self._touching) if other != path for _, each in touching)
        return not any(self.conflict(op, each) for each in others)

    def _is_apart(self, path: int, op: Op) -> bool:
        """Whether it conflicts with none of its path's own copies and multiplies."""
        own = (each for _, each in self._touching[path] if each.kind in (Kind.START, Kind.OPEN))
        return not any(self.conflict(op, each) for each in own)

    def _meets(self, path: int, op: Op) -> list[Meeting]:
        """Of each path: where its next operation conflicts, and where a multiply under way does."""
        found = []
        for other, touching in enumerate(self._touching):
            heads = frozenset(at for at, each in touching if other != path and self.conflict(op, each))
            opened = frozenset(at for each, places in self._opened[other] if self.conflict(op, each) for at in places)
            if heads or opened:
                found.append((other, COUNTER * other, heads, opened))
        return found

    def _writers(self, touch: Touch) -> tuple[Cell, ...]:
        """The writers of each part of what is read; parts with the same ones count once."""
        cells = self._cells.get(touch)
        if cells is None:
            writes = [each for each in self.writes if overlap(each[0], touch)]
            made = (
                tuple((path, index, bit) for box, path, index, bit in writes if _covers(box, cell))
                for cell in _points(touch, [each[0] for each in writes])
            )
            cells = self._cells[touch] = tuple(dict.fromkeys(made))
        return cells

    def conflict(self, a: Op, b: Op) -> bool:
        key = (id(a), id(b))
        found = self._known.get(key)
        if found is None:
            found = any(conflict(one, two) for one in a.touches for two in b.touches)
            self._known[key] = self._known[id(b), id(a)] = found
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


def _indices(opened: list[tuple[Op, ...]]) -> list[tuple[Op, list[int]]]:
    """Each multiply with the indices at which it is under way."""
    found: dict[int, tuple[Op, list[int]]] = {}
    for at, ops in enumerate(opened):
        for op in ops:
            found.setdefault(id(op), (op, []))[1].append(at)
    return list(found.values())


def _points(touch: Touch, writes: list[Touch]) -> list[tuple[int, ...]]:
    """A point in each part of what is read that the bounds of the writes divide it into."""
    axes = []
    for axis, (lo, hi) in enumerate(touch.box):
        starts = {lo, *(bound for each in writes for bound in each.box[axis] if lo < bound < hi)}
        axes.append(sorted(starts))
    return list(product(*axes))


def _covers(touch: Touch, cell: tuple[int, ...]) -> bool:
    return all(lo <= at < hi for (lo, hi), at in zip(touch.box, cell, strict=True))
