"""How the slots of a stage buffer are filled and read in turn, round by round. Must not analyse.

Reads the run that the analysis recorded, its landings included; for hovers on buffers and futures (credit-flow,
section 7). What guards an access is read off the credits: the wait in front of it for a generation to which the other
side's trigger behind its own access belongs. The first and last rounds, where one side is not in the run, have the
events of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from croqc.flow.moments import ARRIVING, makers_of
from croqc.flow.report import KernelFlow, Step

_Made = Mapping[tuple[str, int, int], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Use:
    """A path's turn on a slot: the event it waited for before ("empty[0]") and the one it triggered behind."""

    path: str
    waited: str
    triggered: str


@dataclass(frozen=True, slots=True)
class StageRow:
    """One filling of a slot, the `generation`-th of that slot from 0, and who reads it."""

    iteration: tuple[tuple[str, int], ...]
    slot: int | None
    generation: int
    filled: Use
    read: tuple[Use, ...]
    shape: tuple[int, ...] = ()  # of the array that the slot is of


@dataclass(slots=True)
class _Turn:
    """What a path does to a slot in a round: the numbers of its first and last step there, and the credits around."""

    path: str
    first: int
    last: int
    waits: list[Step] = field(default_factory=list)
    triggers: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class _Round:
    iteration: tuple[tuple[str, int], ...]
    slot: int | None
    generation: int
    fill: _Turn
    shape: tuple[int, ...]
    reads: dict[str, _Turn] = field(default_factory=dict)


def stage_rows(flow: KernelFlow, buffer: str, limit: int) -> tuple[StageRow, ...]:
    """The first fillings of a buffer, in the order of the run."""
    rounds = _rounds(flow.steps, buffer, limit)
    _Credits(flow).guard(rounds)
    return tuple(
        StageRow(
            one.iteration, one.slot, one.generation, _use(one.fill), tuple(map(_use, one.reads.values())), one.shape
        )
        for one in rounds
    )


def _use(turn: _Turn) -> Use:
    return Use(turn.path, _named(turn.waits), _named(turn.triggers))


def _named(steps: Sequence[Step]) -> str:
    return ", ".join(dict.fromkeys(step.event + step.subscripts for step in steps))


def _rounds(steps: Sequence[Step], buffer: str, limit: int) -> list[_Round]:
    """The fillings, each with what reads it before the next one of its slot."""
    rounds: list[_Round] = []
    newest: dict[int | None, _Round | None] = {}
    counts: dict[int | None, int] = {}
    for number, step in enumerate(steps):
        for name, slot in step.reads:
            if name == buffer and (read := newest.get(slot)) is not None:
                read.reads.setdefault(step.path, _Turn(step.path, number, number)).last = number
        for name, slot in step.fills:
            now = newest.get(slot)
            if name != buffer:
                continue
            if now is not None and (now.iteration, now.fill.path) == (step.iteration, step.path):
                now.fill.last = number  # the tile comes in parts
                continue
            newest[slot] = None
            if len(rounds) < limit:
                counts[slot] = counts.get(slot, -1) + 1
                now = _Round(step.iteration, slot, counts[slot], _Turn(step.path, number, number), step.shape)
                newest[slot] = now
                rounds.append(now)
    return rounds


class _Credits:
    """The waits of each path, and what completed the generation that each of them takes."""

    def __init__(self, flow: KernelFlow) -> None:
        self.steps = flow.steps
        self.ready = {event.name for event in flow.events if event.ready}
        self.made: _Made = makers_of(flow.steps, flow.events)
        self.waits: dict[str, list[int]] = {}
        for number, step in enumerate(flow.steps):
            if step.op == "wait":
                self.waits.setdefault(step.path, []).append(number)

    def guard(self, rounds: Sequence[_Round]) -> None:
        """Find the credits around every turn."""
        before: dict[int | None, _Round] = {}
        for one in rounds:
            for read in one.reads.values():
                self._between(one.fill, read, one.slot)
            earlier = before.get(one.slot)
            for read in earlier.reads.values() if earlier is not None else ():
                self._between(read, one.fill, one.slot)
            before[one.slot] = one
        turns = [(one, turn) for one in rounds for turn in (one.fill, *one.reads.values())]
        taken = {(turn.path, step.event) for _, turn in turns for step in turn.waits}
        given = {(turn.path, step.event) for _, turn in turns for step in turn.triggers}
        for one, turn in turns:
            if not turn.waits and turn is one.fill:
                turn.waits = self._at_start(turn, {event for path, event in taken if path == turn.path})
            if not turn.triggers:
                turn.triggers = self._next(turn, one.slot, {event for path, event in given if path == turn.path})

    def _between(self, first: _Turn, second: _Turn, slot: int | None) -> None:
        """The wait of the one path behind which the other path's turn is over: of the same slot, if any, else the
        first."""
        if first.path == second.path:
            return
        done = self._landed(first)
        waits = [self.steps[number] for number in self.waits.get(second.path, ()) if number < second.first]
        found = [wait for wait in waits if any(self._gives(first.path, done, maker) for maker in self._makers(wait))]
        for wait in [one for one in found if one.slot == slot][:1] or found[:1]:
            second.waits.append(wait)
            first.triggers.append(wait)

    def _gives(self, path: str, done: int, maker: int) -> bool:
        return maker >= done and self.steps[maker].path == path

    def _landed(self, turn: _Turn) -> int:
        """When a turn is over: for a copy, when it has landed."""
        step = self.steps[turn.last]
        if step.op != "copy":
            return turn.last
        behind = range(turn.last + 1, len(self.steps))
        return next((at for at in behind if self._lands(self.steps[at], step)), turn.last)

    def _lands(self, step: Step, copy: Step) -> bool:
        return step.op == "land" and (step.path, step.span, step.iteration) == (copy.path, copy.span, copy.iteration)

    def _makers(self, wait: Step) -> tuple[int, ...]:
        if wait.slot is None or wait.generation is None:
            return ()
        return self.made.get((wait.event, wait.slot, wait.generation), ())

    def _at_start(self, turn: _Turn, events: set[str]) -> list[Step]:
        """The last wait for a credit that was given at start, of the `events` that later turns wait for."""
        own = [self.steps[number] for number in reversed(self.waits.get(turn.path, ())) if number < turn.first]
        found = (step for step in own if (step.event in events if events else self._is_granted(step)))
        return list(found)[:1]

    def _is_granted(self, wait: Step) -> bool:
        makers = self._makers(wait)
        ready = wait.event in self.ready and wait.generation == 0
        return ready or (bool(makers) and all(self.steps[maker].op == "bootstrap" for maker in makers))

    def _next(self, turn: _Turn, slot: int | None, events: set[str]) -> list[Step]:
        """The trigger behind a turn, of the `events` that its path triggers in other turns: of its own slot, if any."""
        behind = self.steps[self._landed(turn) :]
        found = [step for step in behind if step.path == turn.path and step.op in ARRIVING and step.event in events]
        return [step for step in found if step.slot == slot][:1] or found[:1]
