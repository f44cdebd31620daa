"""A run of the credit flow as result data: steps with their places, and their layout over time. Must not analyse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from croqc.flow.moments import Cell
from croqc.flow.report import EventFacts, Step
from croqc.flow.tables import step_text
from croqc.flow.timeline import Arrow, Box, Timeline, timeline
from croqc.service.check_result import Range, range_of
from croqc.text.source import Source

LIMIT = 1200  # steps that are drawn; of a longer run the last ones


@dataclass(frozen=True, slots=True)
class StepEntry:
    """As `croqc.flow.report.Step`; `text` says it in one sentence."""

    t: int
    path: str
    op: str
    range: Range
    iteration: Mapping[str, int]
    event: str
    slot: int | None
    generation: int | None
    parity: int | None
    pending: int | None
    bytes: int | None
    buffer: str
    leaves: bool
    text: str


@dataclass(frozen=True, slots=True)
class CellEntry:
    """The inside of one mbarrier. `waiting`: who stands at it, and for which generation."""

    event: str
    slot: int
    arrivals: int
    completed: int
    parity: int
    pending: int
    bytes: int
    waiting: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    path: str
    generation: int


@dataclass(frozen=True, slots=True)
class BoxEntry:
    """See `croqc.flow.timeline.Box`; `label` is what stands in it."""

    path: str
    track: str
    row: int
    op: str
    label: str
    slot: int | None
    steps: tuple[int, ...]
    lands: tuple[int, ...]
    start: int
    end: int
    waits: int
    stuck: bool


@dataclass(frozen=True, slots=True)
class MomentEntry:
    time: int
    step: int
    begins: bool
    cells: tuple[CellEntry, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """The layout over time, in abstract units. `skipped` steps at the beginning of the run are left out."""

    lanes: tuple[str, ...]
    boxes: tuple[BoxEntry, ...]
    arrows: tuple[Arrow, ...]
    start: tuple[CellEntry, ...]
    moments: tuple[MomentEntry, ...]
    length: int
    skipped: int


def step_entry(step: Step, source: Source, base: int) -> StepEntry:
    return StepEntry(
        t=step.t,
        path=step.path,
        op=step.op,
        range=range_of(source, step.span.shift(base)),
        iteration=dict(step.iteration),
        event=step.event,
        slot=step.slot,
        generation=step.generation,
        parity=step.parity,
        pending=step.pending,
        bytes=step.bytes,
        buffer=step.buffer,
        leaves=step.leaves,
        text=step_text(step),
    )


def picture(steps: Sequence[Step], edges: Sequence[tuple[int, int]], events: Sequence[EventFacts]) -> Picture:
    """The layout of a run; all of it, or the last `LIMIT` steps, numbered from 0 as they are drawn."""
    skip = max(len(steps) - LIMIT, 0)
    return drawn(timeline(steps, edges, events, skip), steps, skip)


def drawn(line: Timeline, steps: Sequence[Step], skip: int = 0) -> Picture:
    """A layout as result data; `skip` steps happened before it begins."""
    arrows = tuple(replace(one, source=one.source - skip, target=one.target - skip) for one in line.arrows)
    moments = tuple(
        MomentEntry(one.time, one.step - skip, one.begins, tuple(_cell(cell) for cell in one.cells))
        for one in line.moments
    )
    boxes = tuple(_box(box, steps, skip) for box in line.boxes)
    return Picture(line.paths, boxes, arrows, tuple(_cell(c) for c in line.start), moments, line.length, skip)


def _cell(cell: Cell) -> CellEntry:
    waiting = tuple(Waiting(path, generation) for path, generation in cell.waiting)
    return CellEntry(
        cell.event, cell.slot, cell.arrivals, cell.completed, cell.parity, cell.pending, cell.bytes, waiting
    )


def _box(box: Box, steps: Sequence[Step], skip: int) -> BoxEntry:
    first = steps[box.steps[0]]
    return BoxEntry(
        path=box.path,
        track=box.track,
        row=box.row,
        op=box.op,
        label=_label(box, steps),
        slot=first.slot,
        steps=tuple(number - skip for number in box.steps),
        lands=tuple(number - skip for number in box.lands),
        start=box.start,
        end=box.end,
        waits=box.waits,
        stuck=box.stuck,
    )


def _label(box: Box, steps: Sequence[Step]) -> str:
    """ "empty[0]" for a wait; the buffers of a copy; "multiply ×8"."""
    first = steps[box.steps[0]]
    if first.event and box.track == "sync":
        return first.event + first.subscripts
    times = f" ×{len(box.steps)}" if len(box.steps) > 1 else ""
    if box.op == "copy":
        names = dict.fromkeys(steps[number].buffer for number in box.steps)
        return ", ".join(f"{name}{first.subscripts}" for name in names if name) or f"copy{times}"
    if box.track == "work":
        return f"{box.op}{times}"
    names = dict.fromkeys(steps[number].buffer for number in box.steps)
    return f"{box.op} {', '.join(name for name in names if name)}".rstrip()
