"""The credit flow at the cursor: where each path can stand, credits, buffers in flight, the inside of each barrier.

Told of the small run that `service.flow` shows. A run is one order of its steps; what other orders allow follows from
what each step needs. Must not analyse or know LSP types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from croqc.flow.paths import WHOLE
from croqc.service.check_result import Place, Range
from croqc.service.flow import FlowEntry, FlowResult
from croqc.service.flow_run import CellEntry, StepEntry

_MOST = 32  # visits that are told


@dataclass(frozen=True, slots=True)
class Stand:
    """The step that a path is about to do, None behind its last one; `step` is its number in the run."""

    step: int | None
    range: Range | None
    iteration: Mapping[str, int]
    text: str


@dataclass(frozen=True, slots=True)
class PathStand:
    """Between which steps a path can stand: no order of the run has it before `earliest` or behind `latest`."""

    path: str
    earliest: Stand
    latest: Stand


@dataclass(frozen=True, slots=True)
class SlotCredits:
    """Completed generations of a slot that a path has not waited for yet, in the order that is drawn."""

    event: str
    slot: int
    path: str
    credits: int


@dataclass(frozen=True, slots=True)
class InFlight:
    """A copy that has started and not landed, in the order that is drawn."""

    buffer: str
    slot: int | None
    path: str
    step: int
    range: Range


@dataclass(frozen=True, slots=True)
class Visit:
    """A path stands in front of step `step`, which the cursor is on. `barrier` is that of a wait or trigger."""

    step: int
    path: str
    iteration: Mapping[str, int]
    text: str
    barrier: CellEntry | None
    barriers: tuple[CellEntry, ...]
    credits: tuple[SlotCredits, ...]
    buffers: tuple[InFlight, ...]
    paths: tuple[PathStand, ...]


@dataclass(frozen=True, slots=True)
class FlowAt:
    """Version 1. `function` is empty outside kernels, `overload` is its number among those of its name; `visits`,
    in the order that is drawn, are empty beside steps.

    `range`: the statement; in a kernel that fails one of its counterexamples, which has no visits.
    """

    version: int
    function: str
    overload: int
    verdict: str
    strength: str
    range: Range | None
    visits: tuple[Visit, ...]


def flow_at(result: FlowResult, place: Place) -> FlowAt:
    """What is told at a place, 0-based, in UTF-16 units."""
    here = place.line, place.character
    around = [flow for flow in result.flows if _holds(flow.range, here)]
    for flow in around:
        if found := _steps_at(flow.steps, here):
            state = _Run(flow)
            visits = tuple(state.visit(number) for number in found[:_MOST])
            return _told(flow, flow.steps[found[0]].range, visits)
    for flow in around:
        for item in flow.findings:
            if found := _steps_at(item.steps, here):
                return _told(flow, item.steps[found[0]].range)
    return _told(around[0]) if around else FlowAt(1, "", 0, "", "", None, ())


def _told(flow: FlowEntry, span: Range | None = None, visits: tuple[Visit, ...] = ()) -> FlowAt:
    return FlowAt(1, flow.function, flow.overload, flow.verdict, flow.strength, span, visits)


def _holds(span: Range, here: tuple[int, int]) -> bool:
    start, end = span.start, span.end
    return (start.line, start.character) <= here <= (end.line, end.character)


def _steps_at(steps: Sequence[StepEntry], here: tuple[int, int]) -> list[int]:
    """The steps of the statement under the cursor, else of the first one that begins on its line.

    Paths meet where a whole `parallel` ends: it is under the cursor at its ends alone, else it would be for each line
    inside.
    """
    known = [step for step in steps if step.op != "land"]
    over = [
        step.range
        for step in known
        if _holds(step.range, here) and (step.op != "join" or here[0] in (step.range.start.line, step.range.end.line))
    ]
    lined = [step.range for step in known if step.range.start.line == here[0]]
    if over:
        chosen = max(over, key=lambda span: (span.start.line, span.start.character))  # the innermost
    elif lined:
        chosen = min(lined, key=lambda span: span.start.character)
    else:
        return []
    return [number for number, step in enumerate(steps) if step.range == chosen and step.op != "land"]


class _Run:
    """The small run of a kernel, with what each step needs."""

    def __init__(self, flow: FlowEntry) -> None:
        self.flow, self.steps = flow, flow.steps
        self.own: dict[str, list[int]] = {}
        for number, step in enumerate(self.steps):
            if step.op != "land":  # no path stands at a landing
                self.own.setdefault(step.path, []).append(number)
        self.needs: dict[int, list[int]] = {}
        self.gives: dict[int, list[int]] = {}
        chains = ((a, b) for numbers in self.own.values() for a, b in pairwise(numbers))
        for source, target in (*flow.edges, *chains, *self._meetings(), *self._around()):
            self.needs.setdefault(target, []).append(source)
            self.gives.setdefault(source, []).append(target)

    def _meetings(self) -> Iterator[tuple[int, int]]:
        """The n-th join of each path is the same: none passes it before all have come to it."""
        turns: dict[int, list[int]] = {}
        for path, numbers in self.own.items():
            joins = [number for number in numbers if self.steps[number].op == "join" and path != WHOLE]
            for turn, number in enumerate(joins):
                turns.setdefault(turn, []).append(number)
        for joins in turns.values():
            for number in joins:
                own = self.own[self.steps[number].path]
                before = own[: own.index(number)][-1:]
                yield from ((before[0], other) for other in joins if before and other != number)

    def _around(self) -> Iterator[tuple[int, int]]:
        """What the whole block does comes behind what its paths did before, and in front of what they do then."""
        for number in self.own.get(WHOLE, ()):
            for path, numbers in self.own.items():
                if path != WHOLE:
                    yield from ((one, number) for one in [one for one in numbers if one < number][-1:])
                    yield from ((number, one) for one in [one for one in numbers if one > number][:1])

    def visit(self, number: int) -> Visit:
        step = self.steps[number]
        cells, passed, flying = self._until(number)
        own = next((cell for cell in cells if (cell.event, cell.slot) == (step.event, step.slot)), None)
        return Visit(
            step=number,
            path=step.path,
            iteration=step.iteration,
            text=step.text,
            barrier=own if step.event else None,
            barriers=cells,
            credits=tuple(self._credits(cells, passed)),
            buffers=tuple(flying),
            paths=tuple(self._stands(number)),
        )

    # --- in the order that is drawn ---

    def _until(
        self, number: int
    ) -> tuple[tuple[CellEntry, ...], Mapping[tuple[str, int | None, str], int], list[InFlight]]:
        """The barriers, how often each path has passed each, and the copies in flight, just before a step."""
        picture = self.flow.picture
        cells = {(cell.event, cell.slot): cell for cell in picture.start}
        lands = {copy: land for box in picture.boxes for copy, land in zip(box.steps, box.lands, strict=False)}
        passed: dict[tuple[str, int | None, str], int] = {}
        done: set[int] = set()
        for moment in picture.moments:
            if moment.step == number and not moment.begins:
                break
            cells |= {(cell.event, cell.slot): cell for cell in moment.cells}
            if moment.begins:
                continue
            done.add(moment.step)
            step = self.steps[moment.step]
            if step.op == "wait":
                key = step.event, step.slot, step.path
                passed[key] = passed.get(key, 0) + 1
        flying = [self._flying(copy) for copy in sorted(lands) if copy in done and lands[copy] not in done]
        return tuple(cells.values()), passed, flying

    def _flying(self, number: int) -> InFlight:
        step = self.steps[number]
        return InFlight(step.buffer, step.slot, step.path, number, step.range)

    def _credits(
        self, cells: Iterable[CellEntry], passed: Mapping[tuple[str, int | None, str], int]
    ) -> Iterator[SlotCredits]:
        for event in self.flow.events:
            waiters = dict.fromkeys(site.path for site in event.waitedBy)
            for cell in cells:
                if cell.event == event.name:
                    for path in waiters:
                        used = passed.get((cell.event, cell.slot, path), 0)
                        yield SlotCredits(cell.event, cell.slot, path, max(cell.completed - used, 0))

    # --- in every order ---

    def _stands(self, number: int) -> Iterator[PathStand]:
        own = self.own[self.steps[number].path]
        at = own.index(number)
        before = _reached(self.needs, own[at - 1 : at] if at else [])
        after = _reached(self.gives, [number])
        for path, numbers in self.own.items():
            if path == self.steps[number].path:
                yield PathStand(path, self._stand(number), self._stand(number))
                continue
            done = [one for one in numbers if one in before]
            early = next((one for one in numbers if not done or one > done[-1]), None)
            late = next((one for one in numbers if one in after), None)
            yield PathStand(path, self._stand(early), self._stand(late))

    def _stand(self, number: int | None) -> Stand:
        if number is None:
            return Stand(None, None, {}, "behind its last step")
        step: StepEntry = self.steps[number]
        return Stand(number, step.range, step.iteration, step.text)


def _reached(links: Mapping[int, Sequence[int]], start: Iterable[int]) -> set[int]:
    """The starts and everything that the links lead to."""
    found, open_ends = set(start), list(start)
    while open_ends:
        for other in links.get(open_ends.pop(), ()):
            if other not in found:
                found.add(other)
                open_ends.append(other)
    return found
