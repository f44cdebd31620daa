"""Barriers of a run that are no events: the block's, and named ones. Must not know events."""

from __future__ import annotations

from weakref import proxy

from croqc.flow.program import Op
from croqc.flow.run import Run
from croqc.flow.state import Clock, PathState, Place, merge

_WARP = 32
NUMBERS = range(16)  # of the named barriers of a block


class _Named:
    """A named barrier: threads that came to the present round, and by whom the round before was made up."""

    __slots__ = ("arrived", "before", "clock", "clocks", "count", "parts", "place")

    def __init__(self, width: int, count: int, place: Place) -> None:
        self.count = count
        self.arrived = 0
        self.parts: list[tuple[int, int]] = []
        self.before: list[tuple[int, int]] = []
        self.clock: Clock = [0] * width
        self.clocks: list[Clock] = []
        self.place = place


class _Whole:
    """The barrier of all paths that run a `parallel`: in which round it is, and who has come. `opened`: of the rounds
    that some path has not left yet, what all had seen that came to them, and how many that are."""

    __slots__ = ("clock", "here", "opened", "round")

    def __init__(self, width: int) -> None:
        self.round = 0
        self.here: set[int] = set()
        self.clock: Clock = [0] * width
        self.opened: dict[int, tuple[Clock, int]] = {}

    def come(self, path: PathState, everyone: int) -> None:
        path.met = self.round
        self.here.add(path.number)
        merge(self.clock, path.clock)
        path.clock[path.number] += 1
        if len(self.here) == everyone:
            self.opened[self.round] = self.clock[:], everyone
            self.here.clear()
            self.round += 1

    def leave(self, path: PathState) -> None:
        """Who goes on has seen what came to its own round; others may have come to the next one by then."""
        assert path.met is not None
        clock, staying = self.opened.pop(path.met)
        merge(path.clock, clock)
        if staying > 1:
            self.opened[path.met] = clock, staying - 1
        path.met = None


class Barriers:
    def __init__(self, machine: Run) -> None:
        self.machine: Run = proxy(machine)  # no circle: a run that is done with is freed at once
        self.whole: dict[tuple[int, ...], _Whole] = {}  # by whom it is for
        self.named: dict[int, _Named] = {}

    def clocks(self) -> list[Clock]:
        """What those that stand at barriers of the block will have seen, in an order that does not change."""
        wholes = [self.whole[who] for who in sorted(self.whole)]
        coming = [one.clock for one in wholes if one.here]
        return coming + [clock for one in wholes for clock, _ in one.opened.values()]

    @property
    def here(self) -> list[int]:
        """Who stands at a barrier of the block that has not opened."""
        return sorted(number for each in self.whole.values() for number in each.here)

    def meet(self, path: PathState, op: Op) -> bool:
        """The barrier of all paths; False until the last one has come."""
        machine = self.machine
        everyone = tuple(number for number, one in enumerate(machine.setting.paths) if op.top not in one.apart)
        if everyone not in self.whole:
            self.whole[everyone] = _Whole(machine.width)
        barrier = self.whole[everyone]
        if path.met is None:
            barrier.come(path, len(everyone))
        if path.met == barrier.round:
            return False
        barrier.leave(path)
        machine.note(path, op)
        return True

    def bar(self, path: PathState, op: Op, number: int, count: int, waits: bool) -> bool:
        """`__bar_arrive` goes on at once, `__bar_sync` when as many threads have come as the count says."""
        if count % _WARP or count < 1:  # an error of its own
            return True
        if number not in NUMBERS and path.met is None:
            self.machine.fault("bar", path.at(op), why="number", number=number)
        number %= len(NUMBERS)  # as the card does
        barrier = self.named.get(number)
        if barrier is None:
            barrier = self.named[number] = _Named(self.machine.width, count, path.at(op))
        if path.met is None:
            path.met = len(barrier.clocks)
            self._arrive(path, op, barrier, count)
        if waits and len(barrier.clocks) <= path.met:
            return False
        if waits:
            merge(path.clock, barrier.clocks[path.met])
        path.met = None
        self.machine.note(path, op)
        return True

    def _arrive(self, path: PathState, op: Op, barrier: _Named, count: int) -> None:
        machine = self.machine
        if count != barrier.count:
            machine.fault("bar", path.at(op), barrier.place, why="counts", count=count, expected=barrier.count)
        for other, epoch in barrier.before:
            if path.clock[other] < epoch:
                machine.fault("bar", path.at(op), barrier.place, why="mixed", who=other, count=count)
                break
        barrier.parts.append((path.number, path.epoch))
        merge(barrier.clock, path.clock)
        path.clock[path.number] += 1
        barrier.arrived += path.threads
        if barrier.arrived > barrier.count:
            machine.fault("bar", path.at(op), barrier.place, why="threads", count=count, threads=barrier.arrived)
        if barrier.arrived >= barrier.count:
            barrier.arrived = 0
            barrier.clocks.append(barrier.clock[:])
            barrier.before, barrier.parts = barrier.parts, []
