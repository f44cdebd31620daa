"""One abstract run of a kernel's block: every path goes on until it stands still (credit-flow, section 4).

One run decides an instance, because triggers only add credit and waits only need it; the conditions for that are
checked on the way. Must not judge: it collects faults and says who stands still.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from typing import Any

from croqc.flow.accesses import Accesses
from croqc.flow.barriers import Barriers
from croqc.flow.exprs import DATA, VARIES, Env, UndecidedError, Value
from croqc.flow.joins import predecessors
from croqc.flow.limit import ON_DATA, TOO_DEEP
from croqc.flow.paths import WHOLE
from croqc.flow.program import BrokenOffError, Event, ForeignError, Loop, Op, Program
from croqc.flow.run import ExhaustedError, Setting
from croqc.flow.state import ROUND, EventSlot, Job, PathState, Place, Slots, Transfer, merge
from croqc.flow.steps import Step, Walk
from croqc.syntax import ast
from croqc.text.span import Span

_ASKED = 4  # threads that are asked about a condition in the time of a step


def _key(item: tuple[tuple[int, int], Slots]) -> tuple[int, int]:
    return item[0]


@lru_cache(maxsize=4)
def _moves(program: Program) -> tuple[Callable[[Walk, PathState], bool], ...]:
    """What its steps do, by position; the same for every run of a program."""
    return tuple(op.step for op in program.ops if isinstance(op, Step))


@lru_cache(maxsize=4)
def _largest_step(program: Program) -> int:
    """The nodes of the expressions that one step evaluates, at most."""
    return max((sum(expr.size for expr in op.exprs()) for op in program.ops), default=0)


@dataclass(slots=True)
class Supposed:
    """What a run takes for given, to find out why another one failed: slots with one credit more, other counts."""

    ready: frozenset[tuple[int, int]] = frozenset()
    counts: Mapping[int, int] = field(default_factory=dict)


class Machine(Walk):
    """A run in progress. `undecided` says why it broke off; `broken_off`: with faults, before its end."""

    def __init__(
        self,
        setting: Setting,
        sizes: Mapping[int, int],
        budget: int,
        supposed: Supposed | None = None,
        record: bool = False,
    ) -> None:
        super().__init__(setting, budget, record)
        program = setting.program
        self.moves = _moves(program)
        self.sizes = sizes
        self.leapt = self.broken_off = False
        self.coverage: Any = None  # what was found of it once it is over
        self.undecided: tuple[Span, str] | None = None
        self.watch: Callable[[PathState, Loop | int], None] | None = None
        self.turned: Callable[[PathState, Loop], None] | None = None
        self.held: list[tuple[int, int, Transfer]] = []  # path, handle, what it was given
        self.grouped: dict[tuple[EventSlot, int], list[int]] = {}
        self.supposed = supposed or Supposed()
        own_block = not program.divided
        self.weight = 1 + self.width // 24 + _largest_step(program) // 128 + program.variables // 1000
        self._rounds: dict[tuple[int, int], Slots] = {}
        self._component = {event.number: 0 for event in program.events}
        place = len(setting.paths) + own_block
        for event in program.events:
            if event.tx:
                self._component[event.number] = place
                place += event.slots
        events = [self.instance(event, 0) for event in program.events]
        self.paths = self._paths(own_block, events)
        self.block = self.paths[-1] if own_block else None
        self.accesses = Accesses(self)
        self.barriers = Barriers(self)
        self.before = predecessors(setting.paths)
        self.forks = 0
        self.steps = (len(self.paths) * (program.variables + len(events)) + 8 * self.width) // 256  # what this took

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
            what = "threads of one path part here" if undecided.threads else ON_DATA
            self.undecided = (undecided.span, TOO_DEEP if undecided.deep else what)
        except BrokenOffError:
            self.broken_off = True
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
        moves, weight, budget, done = self.moves, self.weight, self.budget, 0
        try:
            while not path.left:
                if path.idle:
                    if not path.jobs or not self._may_begin(path):
                        break
                    self._take(path)
                while moves[path.pc](self, path):
                    done += weight
                    if self.steps + done > budget:  # steps spend, too
                        raise ExhaustedError
                if not path.idle:
                    path.blocked = (self.program.ops[path.pc], None)
                    self.steps += weight  # the step that could not be gone
                    return done > 0
                done += weight
        except UndecidedError as undecided:
            if undecided.span.length == 0:
                undecided.span = self.program.ops[path.pc].span
            raise
        finally:
            self.steps += done
        return done > 0

    def _take(self, path: PathState) -> None:
        job = path.present = path.jobs.popleft()
        for var, value in job.changed.items():
            path.assign(var, value)
        for event in self.program.events:
            if event.fresh:
                path.events[event.number] = job.events[event.number]
        merge(path.clock, job.clock)
        for number, top in self.before.get((path.number, job.top), ()):
            merge(path.clock, self.paths[number].ended.get(top, ()))
        path.pc, path.idle = job.entry, False
        if self.watch is not None:
            self.watch(path, job.entry)

    def _may_begin(self, path: PathState) -> bool:
        """Whether those whose threads meet the path's at the begin of its next job have come there."""
        job = path.jobs[0]
        for number, top in self.before.get((path.number, job.top), ()):
            other = self.paths[number]
            if other.present is not None and other.present.top is top and other.present.number < job.number:
                return False
            if any(each.top is top for each in takewhile(lambda one: one.number < job.number, other.jobs)):
                return False
        return True

    def finish(self, path: PathState, leaves: bool) -> None:
        path.idle, path.pc, path.blocked = True, -1, None
        path.left = path.left or leaves
        if self.before and path.present is not None:
            path.ended[path.present.top] = path.clock[:]
            path.clock[path.number] += 1
        path.present = None

    def stuck(self) -> list[PathState]:
        """The paths that stand still before their end."""
        return [] if self.broken_off else [path for path in self.paths if not path.idle]

    def fork(self, block: PathState, node: ast.Parallel, entry: int) -> None:
        dirty, block.dirty = block.dirty or set(), set()
        changed = {var: block.env[var] for var in dirty}
        self.forks += 1
        for one, path in zip(self.setting.paths, self.paths[:-1], strict=True):
            if node in one.apart:
                path.missed |= dirty
                continue
            given = changed | {var: block.env[var] for var in path.missed} if path.missed else changed
            path.missed.clear()
            path.jobs.append(Job(entry, given, block.clock[:], block.events[:], node, self.forks))
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

    def some_thread(self, path: PathState, branch: Op, value: Value, split: bool) -> bool:
        """Whether a condition holds for some thread of a path. Raises where only some take part in something
        that all have to do together."""
        if path is self.block:
            raise UndecidedError(branch.span, threads=True)
        whole = self.setting.paths[path.number]
        numbers = whole.numbers
        env, found, asked = path.env[:], set(), 0
        placed = self.program.placed
        varying = [
            (placed[place.symbol], place.unit, place.bound)
            for place in self.setting.placements
            if place.symbol is not None and place.symbol in placed
        ]
        for number in numbers:
            asked += 1
            for var, unit, bound in varying:
                env[var] = number // unit % bound
            found.add(bool(value(env)))
            if True in found and (not split or False in found):
                break
        self.spend(asked // _ASKED)
        if len(found) == 2 and split:
            raise UndecidedError(branch.span, threads=True)
        return True in found
