"""One abstract run of a kernel's block: every path goes on until it stands still (credit-flow, section 4).

One run decides an instance, because triggers only add credit and waits only need it; the conditions for that are
checked on the way. Must not judge: it collects faults and says who stands still.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from croqc.flow.accesses import Accesses
from croqc.flow.arrivals import Arrivals, Slot
from croqc.flow.barriers import Barriers
from croqc.flow.exprs import DATA, VARIES, Env, UndecidedError, Value
from croqc.flow.paths import WHOLE, Path
from croqc.flow.program import Branch, Event, ForeignError, Loop, Op, Program
from croqc.flow.state import ROUND, EventSlot, Fault, PathState, Place, Slots, Transfer, merge
from croqc.sema.masks import Placement
from croqc.text.span import Span


def _key(item: tuple[tuple[int, int], Slots]) -> tuple[int, int]:
    return item[0]


class ExhaustedError(Exception):
    """The run has used up its steps."""


def _largest_step(program: Program) -> int:
    """The nodes of the expressions that one step evaluates, at most."""
    if program.largest < 0:
        program.largest = max((sum(expr.size for expr in op.exprs()) for op in program.ops), default=0)
    return program.largest


@dataclass(slots=True)
class Supposed:
    """What a run takes for given, to find out why another one failed: slots with one credit more, other counts."""

    ready: frozenset[tuple[int, int]] = frozenset()
    counts: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What all runs of a kernel share."""

    program: Program
    paths: tuple[Path, ...]
    placements: tuple[Placement, ...]
    arrivals: Mapping[Slot, Arrivals]
    bootstraps: frozenset[Span]  # references in triggers that give credits at start


class Machine:
    """A run in progress. `faults` in the order in which they were met; `undecided` says why it broke off."""

    def __init__(
        self,
        setting: Setting,
        sizes: Mapping[int, int],
        budget: int,
        supposed: Supposed | None = None,
        record: bool = False,
    ) -> None:
        self.setting = setting
        self.program = program = setting.program
        self.budget = budget
        self.steps = 0
        self.sizes = sizes
        self.leaps: dict[Loop, tuple[int, int]] = {}
        self.faults: dict[tuple[object, ...], Fault] = {}
        self.undecided: tuple[Span, str] | None = None
        self.turns: dict[tuple[int, Loop], int] = {}
        self.watch: Callable[[PathState, Loop | int], None] | None = None
        self.record: list[tuple[Any, ...]] | None = [] if record else None
        self.held: list[tuple[int, int, Transfer]] = []  # path, handle, what it was given
        self.grouped: dict[tuple[EventSlot, int], list[int]] = {}
        self.supposed = supposed or Supposed()
        own_block = not program.divided
        count = len(setting.paths) + own_block
        tagged = sum(event.slots for event in program.events if event.tx)
        self.width = count + tagged
        self.weight = 1 + self.width // 24 + _largest_step(program) // 128 + program.variables // 1000
        self._rounds: dict[tuple[int, int], Slots] = {}
        self._component = {event.number: 0 for event in program.events}
        place = count
        for event in program.events:
            if event.tx:
                self._component[event.number] = place
                place += event.slots
        events = [self.instance(event, 0) for event in program.events]
        self.paths = self._paths(own_block, events)
        self.block = self.paths[-1] if own_block else None
        self.accesses = Accesses(self)
        self.barriers = Barriers(self)
        self.steps = (len(self.paths) * (program.variables + len(events)) + 8 * self.width) // 256  # what this took

    def spend(self, steps: int) -> None:
        """Counts what a step costs beyond the usual. Raises ExhaustedError."""
        self.steps += steps
        if self.steps > self.budget:
            raise ExhaustedError

    def _paths(self, own_block: bool, events: list[Slots]) -> list[PathState]:
        base: Env = [DATA] * self.program.variables
        for var, value in self.sizes.items():
            base[var] = value
        paths: list[PathState] = []
        for number, path in enumerate(self.setting.paths):
            env = base[:]
            for symbol, var in self.program.placed.items():
                env[var] = path.indices.get(symbol, VARIES)
            paths.append(PathState(number, path, path.name, env, self.width))
        if own_block:
            block = PathState(len(paths), None, WHOLE, base[:], self.width)
            for var in self.program.placed.values():
                block.env[var] = VARIES
            block.dirty = set()
            paths.append(block)
        for each in paths:
            each.events = events[:]
        return paths

    # --- events -----------------------------------------------------------------------------------

    def instance(self, event: Event, round_: int) -> Slots:
        """The slots of an event as its declaration is passed for the given time."""
        found = self._rounds.get((event.number, round_))
        if found is None:
            supposed = self.supposed
            ready = frozenset(index for number, index in supposed.ready if number == event.number)
            count = supposed.counts.get(event.number)
            first = self._component[event.number]
            found = Slots(event, self.width, first, round_ * ROUND, count, ready)
            self._rounds[event.number, round_] = found
        return found

    def slots(self) -> list[EventSlot]:
        """Every event slot that was named, in a fixed order."""
        return [slot for _, slots in sorted(self._rounds.items(), key=_key) for slot in slots.met()]

    def present(self) -> list[EventSlot]:
        """The event slots that some path still means."""
        if not any(event.fresh for event in self.program.events):
            return self.slots()
        meant = {id(slots) for path in self.paths for slots in path.events}
        rounds = [slots for _, slots in sorted(self._rounds.items(), key=_key) if id(slots) in meant]
        return [slot for slots in rounds for slot in slots.met()]

    # --- the run ----------------------------------------------------------------------------------

    def run(self) -> Machine:
        """Until nobody can go on. Raises ExhaustedError."""
        try:
            if self.block is not None:
                self.block.pc, self.block.idle = 0, False
            else:
                for path in self.paths:
                    path.pc, path.idle = 0, False
            order = self.paths if self.block is None else [self.block, *self.paths[:-1]]
            moved = True
            while moved:
                moved = False
                self.steps += len(order) // 8  # asking those that stand still
                for path in order:
                    moved = self._go(path) or moved
            self._close()
        except UndecidedError as undecided:
            what = "threads of one path part here" if undecided.threads else "depends on data"
            self.undecided = (undecided.span, what)
        except ForeignError as foreign:
            self.undecided = (foreign.span, foreign.reason)
        return self

    def _close(self) -> None:
        """What is left when nobody can go on."""
        self.accesses.close()
        for path in self.paths:
            if not path.idle:
                continue
            for transfer in path.flying:
                if not transfer.done and transfer.bound is None:
                    self.fault("never-waited", Place(path.number, transfer.op, transfer.env))
            for slot, transfers in path.tagged.items():
                for transfer in transfers:
                    self.fault("never-bound", Place(path.number, transfer.op, transfer.env), slot=slot)

    def _go(self, path: PathState) -> bool:
        """Runs a path until it stands still; whether it did anything."""
        ops, weight, budget, done = self.program.ops, self.weight, self.budget, 0
        try:
            while self._has_work(path):
                op = ops[path.pc]
                while op.step(self, path):
                    done += weight
                    if self.steps + done > budget:  # steps spend, too
                        raise ExhaustedError
                    op = ops[path.pc]
                if not path.idle:
                    path.blocked = (op, None)
                    return done > 0
                done += weight
        except UndecidedError as undecided:
            if undecided.span.length == 0:
                undecided.span = ops[path.pc].span
            raise
        finally:
            self.steps += done
        return done > 0

    def _has_work(self, path: PathState) -> bool:
        """Whether the path has something to do; what comes next is taken up."""
        if path.left:
            return False
        if path.idle and path.jobs:
            self._take(path)
        return not path.idle

    def _take(self, path: PathState) -> None:
        entry, changed, clock, events = path.jobs.popleft()
        for var, value in changed.items():
            path.env[var] = value
        for event in self.program.events:
            if event.fresh:
                path.events[event.number] = events[event.number]
        merge(path.clock, clock)
        path.pc, path.idle = entry, False
        if self.watch is not None:
            self.watch(path, entry)

    def finish(self, path: PathState, leaves: bool) -> None:
        path.idle, path.pc, path.blocked = True, -1, None
        path.left = path.left or leaves

    def stuck(self) -> list[PathState]:
        """The paths that stand still before their end."""
        return [path for path in self.paths if not path.idle]

    def fork(self, block: PathState, entry: int) -> None:
        changed = {var: block.env[var] for var in block.dirty or ()}
        if block.dirty:
            block.dirty.clear()
        for path in self.paths[:-1]:
            path.jobs.append((entry, changed, block.clock[:], block.events[:]))
        block.clock[block.number] += 1

    def join(self, block: PathState, op: Op) -> bool:
        others = self.paths[:-1]
        if any(not path.left and (not path.idle or path.jobs) for path in others):
            return False
        for path in others:
            merge(block.clock, path.clock)
            path.clock[path.number] += 1
        self.note(block, op)
        return True

    def meet(self, path: PathState, op: Op) -> bool:
        if path is self.block:
            return self.join(path, op)
        return self.barriers.meet(path, op)

    # --- what steps ask ---------------------------------------------------------------------------

    def lenient(self, value: Value, env: Env) -> Any:
        """The value, or what stands for one that is not known."""
        try:
            found = value(env)
            return found if found is VARIES or found is DATA else int(found)
        except UndecidedError as undecided:
            return VARIES if undecided.threads else DATA

    def some_thread(self, path: PathState, branch: Branch) -> bool:
        """Whether a condition holds for some thread of a path. Raises where only some take part in something
        that all have to do together."""
        if path is self.block:
            raise UndecidedError(branch.span, threads=True)
        whole = self.setting.paths[path.number]
        numbers: Sequence[int] = whole.scattered or whole.threads
        env, found = path.env[:], set()
        varying = [place for place in self.setting.placements if place.symbol in self.program.placed]
        for number in numbers:
            for place in varying:
                assert place.symbol is not None
                env[self.program.placed[place.symbol]] = number // place.unit % place.bound
            found.add(bool(branch.value(env)))
        self.steps += len(numbers) // 16
        if len(found) == 2 and branch.split:
            raise UndecidedError(branch.span, threads=True)
        return True in found

    def entered(self, path: PathState, loop: Loop) -> None:
        key = (path.number, loop)
        self.turns[key] = self.turns.get(key, 0) + 1

    def turned(self, path: PathState, loop: Loop) -> None:
        key = (path.number, loop)
        self.turns[key] = self.turns.get(key, 0) + 1
        if self.watch is not None:
            self.watch(path, loop)

    def fault(self, kind: str, at: Place, other: Place | None = None, **about: Any) -> None:
        """Keeps the first fault of a kind between two places."""
        key = (kind, at.op.span, other.op.span if other is not None else None)
        if key not in self.faults:
            self.faults[key] = Fault(kind, at, other, about, self.steps)

    def note(self, path: PathState, op: Op, word: str = "", **about: Any) -> int:
        """Records a step; its number, or -1."""
        if self.record is None:
            return -1
        self.record.append((path.number, word or op.WORD, op, path.env[:], about))
        return len(self.record) - 1
