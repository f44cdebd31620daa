"""A recorded block as a run of the credit flow with real time: steps, and their layout. Must not measure or draw.

Nobody sees a copy land. What an mbarrier expects is known, though, and so is when the first path has passed a wait for
it: there, at the latest, all has landed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from croqc.engines.gpu.traces import BlockTrace, Visit
from croqc.flow.moments import ARRIVING, Barriers, makers_of, moved_bytes
from croqc.flow.report import EventFacts, KernelFlow, Step
from croqc.flow.timeline import Arrow, Box, Moment, Timeline, track_of
from croqc.service.flow_run import LIMIT, Picture, StepEntry, drawn, step_entry
from croqc.service.profile_blocks import Place
from croqc.text.record import replace
from croqc.text.source import Source

_PASS: Final = 20  # nanoseconds that are drawn as the passing of a wait; what comes before is standing
_STANDING: Final = frozenset({"wait", "wait-future", "join"})


@dataclass(frozen=True, slots=True)
class _Stay:
    """A visit as a step of the run."""

    path: str
    place: Place
    visit: Visit

    @property
    def time(self) -> int:
        """When it happens, for what it orders: an arrival as soon as it can have been made, else when it has ended."""
        return self.visit.begin if self.place.op == "trigger" else self.visit.end


@dataclass(frozen=True, slots=True)
class _Done:
    """A step and when it happens; `stay` None: a landing."""

    step: Step
    time: int
    stay: _Stay | None


def recorded_run(
    trace: BlockTrace, places: Sequence[Place], flow: KernelFlow | None, source: Source, base: int
) -> tuple[tuple[StepEntry, ...], Picture]:
    """The first steps of a block, as many as are drawn, in the order of their time; times in nanoseconds."""
    events = flow.events if flow else ()
    stays = [_Stay(path.path, places[visit.site - 1], visit) for path in trace.paths for visit in path.visits]
    done = _Playing(events).all(sorted(stays, key=lambda stay: stay.time)[:LIMIT])
    steps = tuple(each.step for each in done)
    entries = tuple(_told(step_entry(each.step, source, base), each.stay) for each in done)
    lanes = tuple(path.path for path in trace.paths)
    return entries, drawn(_timeline(lanes, done, steps, events), steps)


def _told(step: StepEntry, stay: _Stay | None) -> StepEntry:
    if stay is None:
        return replace(step, text="The copies have landed, for the first path has passed its wait")
    return replace(step, text=f"{step.text}, {stay.visit.end - stay.visit.begin:,} ns")


class _Playing:
    """Stays as steps. The n-th wait of a path for a slot is for generation n; an arrival counts for that under way."""

    def __init__(self, events: Sequence[EventFacts]) -> None:
        self.barriers = Barriers(events)
        self.shapes = {event.name: event.shape for event in events}
        self.granted = [span for event in events for span in event.granted_by]
        self.waited: dict[tuple[str, str, int], int] = {}
        self.done: list[_Done] = []

    def all(self, stays: Sequence[_Stay]) -> list[_Done]:
        for stay in stays:
            self._stay(stay)
        return self.done

    def _stay(self, stay: _Stay) -> None:
        step = self._step(stay)
        barrier = self.barriers.of(step)
        if barrier is None or step.slot is None:
            self._add(step, stay)
            return
        generation = barrier.completed
        if step.op == "wait":
            key = (step.path, step.event, step.slot)
            generation = self.waited[key] = self.waited.get(key, -1) + 1
            if barrier.completed == generation and not barrier.pending and barrier.bytes:
                landing = replace(step, op="land", generation=generation, parity=generation & 1, bytes=0)
                self._add(landing, None, stay.time, barrier.bytes)
        elif stay.place.bytes:
            step = replace(step, bytes=barrier.bytes + stay.place.bytes)
        self._add(replace(step, generation=generation, parity=generation & 1), stay, moved=stay.place.bytes)

    def _step(self, stay: _Stay) -> Step:
        place, visit = stay.place, stay.visit
        turn = ((place.loop, visit.turn),) if place.loop else ()
        grants = place.op == "trigger" and any(place.span.contains(span.start) for span in self.granted)
        op = "bootstrap" if grants else place.op
        slot = visit.slot if place.slotted else None
        leaves = op == "copy" and place.leaves
        shape = self.shapes.get(place.event, ())
        return Step(
            0, stay.path, op, place.span, turn, place.event, slot, buffer=place.buffer, shape=shape, leaves=leaves
        )

    def _add(self, step: Step, stay: _Stay | None, time: int | None = None, moved: int = 0) -> None:
        number = len(self.done)
        self.barriers.play(number, step, moved)
        at = time if time is not None else stay.time if stay is not None else 0
        self.done.append(_Done(replace(step, t=number), at, stay))


def _timeline(
    lanes: tuple[str, ...], done: Sequence[_Done], steps: Sequence[Step], events: Sequence[EventFacts]
) -> Timeline:
    boxes = {number: _box(number, each.stay) for number, each in enumerate(done) if each.stay is not None}
    length = max((box.end for box in boxes.values()), default=0) + 1
    start = Barriers(events).cells()
    arrows, moments = _arrows(boxes, steps, events), _moments(boxes, done, steps, events)
    return Timeline(lanes, tuple(boxes.values()), arrows, start, moments, length)


def _box(number: int, stay: _Stay) -> Box:
    begin, end = stay.visit.begin, stay.visit.end
    passes = max(begin, end - _PASS) if stay.place.op in _STANDING else begin
    return Box(stay.path, track_of(stay.place.op), stay.place.op, (number,), passes, end, begin)


def _arrows(boxes: dict[int, Box], steps: Sequence[Step], events: Sequence[EventFacts]) -> tuple[Arrow, ...]:
    """From each arrival that made a generation complete to the waits for it."""
    made = makers_of(steps, events)
    found = []
    for number, step in enumerate(steps):
        if step.op == "wait" and step.slot is not None and step.generation is not None:
            for source in made.get((step.event, step.slot, step.generation), ()):
                if steps[source].op in ARRIVING:
                    found.append(Arrow(source, number, step.event, boxes[source].end, boxes[number].end))
    return tuple(found)


def _moments(
    boxes: dict[int, Box], done: Sequence[_Done], steps: Sequence[Step], events: Sequence[EventFacts]
) -> tuple[Moment, ...]:
    """Every step, and the begin of each wait that stands."""
    order = [(each.time, 1, number) for number, each in enumerate(done)]
    order += [(box.waits, 2, at) for at, box in boxes.items() if box.op == "wait" and box.start > box.waits]
    barriers, shares = Barriers(events), moved_bytes(steps)
    found = []
    for time, kind, number in sorted(order):
        barrier = barriers.of(steps[number])
        if kind == 2 and barrier is not None:
            barrier.waiting[steps[number].path] = steps[number].generation or 0
        elif kind == 1:
            barriers.play(number, steps[number], shares[number])
        found.append(Moment(time, number, kind == 2, (barrier.cell(),) if barrier else ()))
    return tuple(found)
