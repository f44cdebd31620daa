"""A run laid out over time: lanes, boxes, arrows, moments. Shared by the page and the SVG. Must not draw.

The abstract run has no clock. Here each operation gets a plausible length (`_COST`), and starts as soon as its own
path and what it waits for allow: so a ring shows how far its producer runs ahead, double buffering shows its
overlap and a single buffer its staircase. Times are abstract units, not cycles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from croqc.flow.moments import ARRIVING, Barriers, Cell, makers_of, moved_bytes
from croqc.flow.paths import WHOLE
from croqc.flow.report import EventFacts, Step

WORK = frozenset({"multiply", "read", "write"})
FLIGHT = 5  # from the issue of a copy to its landing
_COST = {"multiply": 4, "read": 2, "write": 2}


@dataclass(frozen=True, slots=True)
class Box:
    """One operation of a path, or several alike in a row. `steps`: their numbers, `lands`: those of a copy's landing.

    `track`: "sync", "copy" or "work"; `row` keeps boxes of one track apart where they overlap. `waits` is when the
    path began to stand here (a wait; else `start`). `stuck`: it never gets past it.
    """

    path: str
    track: str
    op: str
    steps: tuple[int, ...]
    start: int
    end: int
    waits: int
    row: int = 0
    lands: tuple[int, ...] = ()
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """A credit: the step that completed a generation, and the wait that spends it; with the times of both ends."""

    source: int
    target: int
    event: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Moment:
    """A stop of the slider: `step` happens at `time`, or (`begins`) its path starts to wait. `cells`: what changed."""

    time: int
    step: int
    begins: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    paths: tuple[str, ...]
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    start: tuple[Cell, ...]
    moments: tuple[Moment, ...]
    length: int


def track_of(op: str) -> str:
    """The track of a lane that an operation stands in."""
    return "work" if op in WORK else "copy" if op in ("copy", "land") else "sync"


@dataclass(slots=True)
class _Open:
    """A box under way, before it has a time."""

    op: str
    key: tuple[object, ...]
    steps: list[int]


@dataclass(slots=True)
class _Lane:
    """What a path has done so far: when it is free, when its last copy landed."""

    free: int = 0
    landed: int = 0


def timeline(
    steps: Sequence[Step], edges: Iterable[tuple[int, int]], events: Sequence[EventFacts], skip: int = 0
) -> Timeline:
    """Lay out a run. Deterministic; any list of steps gives a timeline. `edges` are numbers of steps.

    The first `skip` steps have happened before the picture begins.
    """
    return _Layout(steps, edges, events, skip).timeline()


class _Layout:
    def __init__(
        self, steps: Sequence[Step], edges: Iterable[tuple[int, int]], events: Sequence[EventFacts], skip: int
    ) -> None:
        self.skip = skip
        self.steps = steps
        self.events = events
        self.makers = makers_of(steps, events)
        self.ready = {event.name for event in events if event.ready}
        self.needs: dict[int, list[int]] = {}
        for source, target in edges:
            if 0 <= source < len(steps) and 0 <= target < len(steps):
                self.needs.setdefault(target, []).append(source)
        self.ends: dict[int, int] = dict.fromkeys(range(skip), 0)
        self.lanes: dict[str, _Lane] = {}
        self.boxes: list[Box] = []
        self.joined: dict[str, int] = {}
        self.meetings: dict[tuple[bool, int], int] = {}
        self.lands = _landings(steps)
        self.ends |= {land: 0 for copy, land in self.lands.items() if copy < skip <= land}

    def timeline(self) -> Timeline:
        for opened in self._grouped():
            self._place(opened)
        paths = tuple(dict.fromkeys(step.path for step in self.steps))
        length = max((box.end for box in self.boxes if not box.stuck), default=0) + 1
        boxes = tuple(replace(box, end=length + 1) if box.stuck else box for box in _with_rows(self.boxes))
        length += 2 if any(box.stuck for box in boxes) else 0
        barriers, shares = Barriers(self.events), moved_bytes(self.steps)
        for number in range(self.skip):
            barriers.play(number, self.steps[number], shares[number])
        start = self._shown(barriers.cells())
        return Timeline(paths, boxes, self._arrows(), start, self._moments(barriers, shares), length)

    def _shown(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """All slots of a small ring; of a large one those that the picture touches."""
        small = {event.name for event in self.events if event.slots <= 16}
        touched = {(step.event, step.slot) for step in self.steps[self.skip :]}
        return tuple(cell for cell in cells if cell.event in small or (cell.event, cell.slot) in touched)

    def _grouped(self) -> Iterable[_Open]:
        """Steps of a path that belong together, in the order of their first; landings belong to their copies."""
        opened: dict[str, _Open] = {}
        done: list[_Open] = []
        for number, step in enumerate(self.steps):
            if step.op == "land" or number < self.skip:
                continue
            if step.op == "join":
                opened.clear()
            key = _group_key(step)
            last = opened.get(step.path)
            if key and last is not None and last.key == key:
                last.steps.append(number)
                continue
            opened[step.path] = _Open(step.op, key, [number])
            done.append(opened[step.path])
        return done

    def _place(self, opened: _Open) -> None:
        first = self.steps[opened.steps[0]]
        lane = self.lanes.setdefault(first.path, _Lane())
        arrived = max(lane.free, self._block_free(first.path))
        if track_of(opened.op) == "copy":
            self._place_copy(opened, lane, arrived)
            return
        needed = [self.ends[at] for number in opened.steps for at in self._sources(number) if at in self.ends]
        if opened.op == "wait-future":
            before = (land for land in self.lands.values() if land < opened.steps[-1])
            needed += [self.ends.get(land, 0) for land in before if self.steps[land].path == first.path]
        if opened.op == "join":
            needed.append(self._meeting(first.path))
        start = max([arrived, *needed])
        end = start + _COST.get(opened.op, 1)
        lane.free = end
        self.ends |= dict.fromkeys(opened.steps, end)
        stuck = self._is_stuck(first)
        op = opened.op
        self.boxes.append(Box(first.path, track_of(op), op, tuple(opened.steps), start, end, arrived, stuck=stuck))

    def _block_free(self, path: str) -> int:
        """What the block does between its `parallel`s comes before what the paths do in the next one."""
        block = self.lanes.get(WHOLE)
        return block.free if block is not None and path != WHOLE else 0

    def _meeting(self, path: str) -> int:
        """When all paths have come to a join: the n-th one of each is the same."""
        turn = self.joined[path] = self.joined.get(path, -1) + 1
        key = (path == WHOLE, turn)
        if key not in self.meetings:
            self.meetings[key] = max(lane.free for lane in self.lanes.values())
        return self.meetings[key]

    def _place_copy(self, opened: _Open, lane: _Lane, arrived: int) -> None:
        """Issued one a unit, landing one after the other; the path goes on at once unless the copy is synchronous."""
        landed: list[int] = []
        synchronous = False
        for at, number in enumerate(opened.steps):
            lane.landed = max(arrived + at + 1 + FLIGHT, lane.landed + 1)
            self.ends[number] = arrived + at + 1
            land = self.lands.get(number)
            if land is not None:
                self.ends[land] = lane.landed
                landed.append(land)
                synchronous |= self._is_synchronous(number, land)
        end = lane.landed if landed else arrived + len(opened.steps)
        lane.free = end if synchronous else arrived + len(opened.steps)
        path = self.steps[opened.steps[0]].path
        self.boxes.append(Box(path, "copy", "copy", tuple(opened.steps), arrived, end, arrived, lands=tuple(landed)))

    def _is_synchronous(self, copy: int, land: int) -> bool:
        """A landing that no event counts and that comes before the path's next step."""
        path = self.steps[copy].path
        between = self.steps[copy + 1 : land]
        return not self.steps[land].event and all(step.path != path or step.op in ("copy", "land") for step in between)

    def _sources(self, number: int) -> tuple[int, ...]:
        """The steps that a step needs from other paths, or from an mbarrier."""
        step = self.steps[number]
        made: tuple[int, ...] = ()
        if step.op == "wait" and step.slot is not None and step.generation is not None:
            made = self.makers.get((step.event, step.slot, step.generation), ())
        return tuple(dict.fromkeys([*self.needs.get(number, ()), *(at for at in made if at != number)]))

    def _is_stuck(self, step: Step) -> bool:
        if step.op != "wait" or step.slot is None or step.generation is None:
            return False
        given = step.generation == 0 and step.event in self.ready
        return not given and (step.event, step.slot, step.generation) not in self.makers

    def _arrows(self) -> tuple[Arrow, ...]:
        """From the last step that made a generation complete to each wait for it, on whatever path."""
        found = []
        for box in self.boxes:
            step = self.steps[box.steps[0]]
            if box.op != "wait" or step.slot is None or step.generation is None:
                continue
            made = self.makers.get((step.event, step.slot, step.generation), ())
            known = [number for number in made if number in self.ends and number >= self.skip]
            arrivals = [number for number in known if self.steps[number].op in ARRIVING]
            for source in arrivals or known[-1:]:
                found.append(Arrow(source, box.steps[0], step.event, self.ends[source], box.end))
        return tuple(found)

    def _moments(self, barriers: Barriers, shares: Sequence[int]) -> tuple[Moment, ...]:
        """Every step in the order of its time, and the begin of each wait that does not pass at once."""
        order: list[tuple[int, int, int, bool]] = []
        for number in range(self.skip, len(self.steps)):
            if number in self.ends:
                order.append((self.ends[number], 1, number, False))
        for box in self.boxes:
            if box.op == "wait" and (box.stuck or box.start > box.waits):
                order.append((box.waits, 2, box.steps[0], True))
        stuck = {box.steps[0] for box in self.boxes if box.stuck}
        found = []
        for time, _, number, begins in sorted(order):
            if number in stuck and not begins:
                continue
            step = self.steps[number]
            if begins:
                barrier = barriers.of(step)
                if barrier is not None:
                    barrier.waiting[step.path] = step.generation or 0
            else:
                barrier = barriers.play(number, step, shares[number])
            found.append(Moment(time, number, begins, (barrier.cell(),) if barrier else ()))
        return tuple(found)


def _group_key(step: Step) -> tuple[object, ...]:
    """Equal for steps that make one box; empty where each is one of its own."""
    if step.op == "copy":
        return ("copy", step.leaves, step.slot, step.iteration)
    if step.op in ("wait-future", "select", "swap", "rotate"):
        return (step.op, step.iteration)
    return ("work", step.op) if step.op in WORK else ()


def _landings(steps: Sequence[Step]) -> Mapping[int, int]:
    """The landing of each copy: the next one of its path and buffer, of its slot if there is one."""
    flying: dict[tuple[str, str, bool], list[int]] = {}
    found: dict[int, int] = {}
    for number, step in enumerate(steps):
        copies = flying.setdefault((step.path, step.buffer, step.leaves), [])
        if step.op == "copy":
            copies.append(number)
        elif step.op == "land" and copies:
            copy = next((one for one in copies if steps[one].slot == step.slot), copies[0])
            copies.remove(copy)
            found[copy] = number
    return found


def _with_rows(boxes: Iterable[Box]) -> Iterable[Box]:
    """The first free row of its track for each box."""
    busy: dict[tuple[str, str], list[int]] = {}
    for box in boxes:
        rows = busy.setdefault((box.path, box.track), [])
        start = box.waits
        row = next((at for at, end in enumerate(rows) if end <= start), len(rows))
        rows[row : row + 1] = [box.end]
        yield replace(box, row=row)
