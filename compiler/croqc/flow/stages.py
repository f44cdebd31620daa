"""How the slots of a stage buffer are filled and read in turn, round by round. Must not analyse.

Reads the run that the analysis recorded; for hovers on buffers and futures (credit-flow, section 7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from croqc.flow.moments import ARRIVING
from croqc.flow.report import KernelFlow, Step

_FILLS = ("copy", "write")
_READS = ("multiply", "read")


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
class _Filling:
    """The numbers of the steps that fill a slot once, the last of its parts, and those that read it first."""

    first: int
    last: int
    generation: int
    reads: list[int]


def stage_rows(flow: KernelFlow, buffer: str, limit: int) -> tuple[StageRow, ...]:
    """The first fillings of a buffer, in the order of the run."""
    steps, found = flow.steps, _fillings(flow.steps, buffer)
    hands = _Hands(flow, found)
    rows = []
    for one in found[:limit]:
        step = steps[one.first]
        read = tuple(hands.read(one, number) for number in one.reads)
        rows.append(StageRow(step.iteration, step.slot, one.generation, hands.filled(one), read, step.shape))
    return tuple(rows)


def _fillings(steps: Sequence[Step], buffer: str) -> list[_Filling]:
    found: list[_Filling] = []
    newest: dict[int | None, _Filling] = {}
    for number, step in enumerate(steps):
        if step.buffer != buffer:
            continue
        last = newest.get(step.slot)
        if step.op in _FILLS and not step.leaves:
            first = None if last is None else steps[last.first]
            if last is not None and first is not None and (first.iteration, first.path) == (step.iteration, step.path):
                last.last = number  # the tile comes in parts
                continue
            newest[step.slot] = _Filling(number, number, 0 if last is None else last.generation + 1, [])
            found.append(newest[step.slot])
            continue
        reads = step.op in _READS or (step.op == "copy" and step.leaves)
        if reads and last is not None and all(steps[at].path != step.path for at in last.reads):
            last.reads.append(number)
    return found


class _Hands:
    """By which waits and triggers the fillings of one buffer pass between paths."""

    def __init__(self, flow: KernelFlow, fillings: Sequence[_Filling]) -> None:
        self.steps = flow.steps
        self.given: dict[int, list[int]] = {}  # of each wait the triggers that let it pass
        for source, target in flow.edges:
            if source < target < len(self.steps) and self.steps[source].op in ARRIVING:
                self.given.setdefault(target, []).append(source)
        self.published: dict[tuple[int, int], tuple[int, int]] = {}  # trigger and wait, by filling and its read
        self.returned: dict[int, tuple[int, int]] = {}  # trigger and wait, by the read that gives back
        self.asked: dict[int, int] = {}  # by the filling, the wait for what its readers gave back
        before: dict[int | None, _Filling] = {}
        for one in fillings:
            for number in one.reads:
                if (handed := self._between(one.last, number)) is not None:
                    self.published[one.first, number] = handed
            slot = self.steps[one.first].slot
            for number in before[slot].reads if slot in before else ():
                if (handed := self._between(number, one.first)) is not None:
                    self.returned[number] = handed
                    self.asked[one.first] = handed[1]
            before[slot] = one
        self.full = self._events(self.published.values())
        self.empty = self._events(self.returned.values())

    def _events(self, hands: Iterable[tuple[int, int]]) -> frozenset[str]:
        return frozenset(self.steps[wait].event for _, wait in hands)

    def _between(self, first: int, second: int) -> tuple[int, int] | None:
        """The trigger behind one step, and the wait of another path before a later one that it lets pass: of the same
        slot if there is one, else the first."""
        giver, taker, slot = self.steps[first].path, self.steps[second].path, self.steps[first].slot
        found = [
            (trigger, wait)
            for wait in range(first + 1, second)
            if self.steps[wait].op == "wait" and self.steps[wait].path == taker != giver
            for trigger in self.given.get(wait, ())
            if trigger > first and self.steps[trigger].path == giver
        ]
        return min(found, key=lambda pair: (self.steps[pair[1]].slot != slot, pair), default=None)

    def filled(self, one: _Filling) -> Use:
        handed = next((self.published[key] for key in self.published if key[0] == one.first), None)
        waited = self.asked.get(one.first)
        return self._use(one.first, waited, None if handed is None else handed[0], self.empty, self.full)

    def read(self, one: _Filling, number: int) -> Use:
        handed, back = self.published.get((one.first, number)), self.returned.get(number)
        return self._use(number, handed and handed[1], back and back[0], self.full, self.empty)

    def _use(
        self, number: int, waited: int | None, triggered: int | None, before: frozenset[str], behind: frozenset[str]
    ) -> Use:
        """Where the run does not show what hands over, as at its beginning and its end: the nearest one of the events
        that do in other rounds."""
        path = self.steps[number].path
        if waited is None:
            waited = next(self._near(path, range(number - 1, -1, -1), ("wait",), before), None)
        if triggered is None:
            triggered = next(self._near(path, range(number + 1, len(self.steps)), ARRIVING, behind), None)
        return Use(path, self._named(waited), self._named(triggered))

    def _near(self, path: str, numbers: range, words: Collection[str], events: frozenset[str]) -> Iterator[int]:
        for at in numbers:
            step = self.steps[at]
            if step.path != path:
                continue
            if step.op in words and (not events or step.event in events):
                yield at
            if not events and step.op == "wait" and "wait" not in words:
                return

    def _named(self, number: int | None) -> str:
        return "" if number is None else self.steps[number].event + self.steps[number].subscripts
