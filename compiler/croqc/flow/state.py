"""The state of an abstract run: paths, event slots, accesses, transfers, faults (credit-flow, sections 2 and 3).

Times are epochs: a path's own count of its releases (triggers, joins). Who has seen epoch t of a path comes after
everything that the path did in it. A clock holds an epoch a path and, behind them, the landed generations of the
event slots that copies are bound to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from croqc.flow.exprs import Env
from croqc.flow.paths import Path
from croqc.flow.program import BrokenOffError, Event, Loop, Op
from croqc.flow.regions import Operand
from croqc.syntax import ast

Clock = list[int]
_UNSEEN: Clock = []
OPEN: Final = 1 << 62  # the end of an access that is still going on
TRAIL: Final = 1 << 16  # epochs of a path whose ends are kept: far more than lie between two steps that matter
ROUND: Final = 1 << 40  # landed generations of later instances of an event are larger than all earlier ones


def merge(clock: Clock, other: Sequence[int]) -> None:
    """The later of both, component by component."""
    for place, epoch in enumerate(other):  # mostly few of them are later: quicker than `map(max, …)`
        if epoch > clock[place]:
            clock[place] = epoch


@dataclass(slots=True, eq=False)
class Place:
    """A step of a path at one moment."""

    path: int
    op: Op
    env: Env


class Access:
    """An interval on one slot. It is over for those whose clock at `index` is at least `end`. Only for slots that
    are written in part: `clock`, what its path had seen at its begin, and `unknown`, see `PathState`."""

    __slots__ = (
        "begin", "clock", "end", "env", "index", "op", "operand", "path", "place", "round", "sign", "slot",
        "transfer", "unknown", "write",
    )  # fmt: skip

    def __init__(
        self, path: int, op: Op, operand: Operand, slot: int, write: bool, begin: int, env: Env, round_: int
    ) -> None:
        self.path = self.index = path
        self.op = op
        self.operand = operand
        self.slot = slot
        self.write = write
        self.begin = self.end = begin
        self.env = env
        self.round = round_
        self.transfer: Transfer | None = None
        self.sign = -1  # what does not change of it, as a number of who compares states
        self.place: tuple[object, ...] | None = None  # see `Accesses.place`
        self.clock: Clock = _UNSEEN
        self.unknown = 0

    def over(self, clock: Clock) -> bool:
        return clock[self.index] >= self.end


class Transfer:
    """What a future holds: a copy or an asynchronous multiply, and the slots of its buffer."""

    __slots__ = (
        "accesses", "again", "asynchronous", "bound", "done", "env", "local", "loops", "multiply", "op", "reads",
        "slots", "stamp",
    )  # fmt: skip

    def __init__(self, op: Op, env: Env, slots: tuple[int, ...], asynchronous: bool) -> None:
        self.op = op
        self.env = env
        self.slots = slots
        self.local = False
        self.asynchronous = asynchronous
        self.multiply = False
        self.done = not asynchronous
        self.bound: tuple[int, int] | None = None  # component and value of the generation it lands with
        self.accesses: list[Access] = []
        self.reads = 0
        self.again: tuple[Op, Env, Operand] | None = None  # who reads it in a second round
        self.stamp = -1
        self.loops: tuple[Loop, ...] | None = None

    def landed(self, clock: Clock) -> bool:
        return self.done or (self.bound is not None and clock[self.bound[0]] >= self.bound[1])


@dataclass(frozen=True, slots=True, eq=False)
class Issued:
    """What a multiply in flight reads (None: nothing in slots), the accumulator that it changes, and its future."""

    accumulator: object
    access: Access | None
    transfer: Transfer | None


@dataclass(frozen=True, slots=True, eq=False)
class Alias:
    """What an operand's name stands for since `op`: a tile and, where a future holds it, what that held then."""

    op: Op
    operand: Operand
    slots: Sequence[int]
    transfer: Transfer | None


class EventSlot:
    """One mbarrier. `arrivals`: (path, epoch) of the present generation, `before` of the one that completed last."""

    __slots__ = (
        "arrivals", "before", "bound", "clock", "clocks", "completed", "component", "count", "event", "expected",
        "index", "landed", "last_waits", "late", "offset", "pending", "skipped", "sources", "traces",
    )  # fmt: skip

    def __init__(self, event: Event, index: int, components: int, component: int, offset: int) -> None:
        self.event = event
        self.index = index
        self.count = self.pending = event.counts[index]
        self.completed = 0
        self.skipped = 0  # generations of turns that were left out: `clocks` and `sources` lack them
        self.late: dict[int, int] = {}  # who had not waited by then: how many generations lie in front of those turns
        self.clock: Clock = [0] * components
        self.clocks: list[Clock] = []
        self.arrivals: list[tuple[int, int]] = []
        self.before: Sequence[tuple[int, int]] = ()
        self.bound: list[Transfer] = []
        self.component = component
        self.landed = 0  # the value of its component that the last generation gave
        self.expected = 0  # bytes bound since the last arrival
        self.offset = offset
        self.last_waits: dict[int, tuple[int, Op, Env]] = {}
        self.sources: list[tuple[int, int]] = []  # the arrival that completed each generation
        self.traces: list[int] = []  # steps of the recorded run that the present generation consists of
        if event.ready:
            self.completed = 1
            self.clocks.append(self.clock[:])

    def listed(self, path: int, generation: int) -> int:
        """Where `clocks` has a generation that a path waits for. One that comes late, and so too far behind, counts
        from the first generation on. Raises BrokenOffError where it comes to those that were left out."""
        known = self.late.get(path)
        if known is None:
            return generation - self.skipped
        if generation + 1 >= known:
            raise BrokenOffError
        return generation


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """The body of an inner `parallel`, `top`, for a path: where it begins, which variables of the block have changed,
    what the block had seen, and its events. `number`: of the fork."""

    entry: int
    changed: Mapping[int, Any]
    clock: Clock
    events: Sequence[Slots]
    top: ast.Parallel
    number: int


class PathState:
    """A path in a run. `number` -1 never occurs: the block's own flow, if there is one, has the last number. `unknown`:
    how many values have been assigned of which nothing is known; they are told apart by nothing else."""

    __slots__ = (
        "_around", "_iteration", "_kept", "_of", "aliases", "blocked", "clock", "dirty", "ended", "env", "events",
        "flying", "handles", "homes", "idle", "jobs", "left", "met", "missed", "name", "number", "passed", "pc",
        "phases", "present", "regions",
        "rounds", "spun", "stamp", "steady", "tagged", "threads", "touched", "trail", "turns", "uncommitted",
        "unknown", "waits",
    )  # fmt: skip

    def __init__(self, number: int, path: Path | None, name: str, env: Env, components: int) -> None:
        self.number = number
        self.name = name
        self.threads = path.thread_count if path is not None else 0
        self.regions: Mapping[ast.InThreads, bool | None] = path.regions if path is not None else {}
        self.env = env
        self.unknown = 0
        self.clock: Clock = [0] * components
        self.clock[number] = 1
        self.pc = -1
        self.idle = True
        self.left = False
        self.jobs: deque[Job] = deque()
        self.present: Job | None = None  # what it runs
        self.ended: dict[ast.Parallel, Clock] = {}  # what it had seen at the end of what unlike `parallel`s gave it
        self.events: list[Slots] = []
        self.blocked: tuple[Op, object] | None = None
        self.touched = False
        self.waits: dict[EventSlot, int] = {}
        self.steady: dict[EventSlot, int] = {}
        self.phases: dict[EventSlot, int] = {}  # of a slot that is ready: the phase that its first wait is written with
        self.tagged: dict[EventSlot, list[Transfer]] = {}  # copies that named a slot: they go with the next trigger
        self.trail: dict[int, tuple[Op, Env, EventSlot | None]] = {}
        self.handles: dict[int, Transfer | None] = {}
        self.homes: dict[int, tuple[int, ...]] = {}  # of futures that have been exchanged, the slots of their buffers
        self.stamp = 0
        self.flying: list[Transfer] = []
        self.uncommitted: list[Issued] = []  # in the order of their issue, in which the hardware ends them
        self.aliases: dict[int, Alias] = {}
        self.rounds: dict[int, tuple[int, list[int]]] = {}  # by twice the slot, one more for writes
        self.met: int | None = None
        self.passed: dict[object, int] = {}
        self.turns: dict[Loop, int] = {}  # how often it has begun the body of each loop
        self.spun: dict[Op, int] = {}  # turns of loops that never end
        self.dirty: set[int] | None = None
        self.missed: set[int] = set()  # what the block changed and gave to other paths alone
        self._kept = False
        self._around: tuple[Loop, ...] | None = None
        self._iteration: list[int] = []
        self._of: Env = env

    def assign(self, var: int, value: Any) -> None:
        if self._kept:
            self.env = self.env[:]
            self._kept = False
        self.env[var] = value
        if not isinstance(value, int):
            self.unknown += 1
        if self.dirty is not None:
            self.dirty.add(var)

    def keep(self) -> Env:
        """The environment as it is now. It stays so: with its next assignment the path goes on with a copy."""
        self._kept = True
        return self.env

    def iteration(self, op: Op) -> list[int]:
        """The indices of the loops around a step, now. Not to be changed."""
        if self._of is not self.env or self._around is not op.loops or not self._kept:
            env = self._of = self.keep()
            self._around = op.loops
            self._iteration = [env[loop.var] for loop in op.loops]
        return self._iteration

    @property
    def epoch(self) -> int:
        return self.clock[self.number]

    def release(self, op: Op, slot: EventSlot | None) -> None:
        """Ends an epoch with a step that lets others on. Of very many, the last ones are kept."""
        trail = self.trail
        trail[self.clock[self.number]] = (op, self.keep(), slot)
        self.clock[self.number] += 1
        if len(trail) > 2 * TRAIL:
            for epoch in [*islice(trail, TRAIL)]:
                del trail[epoch]

    def at(self, op: Op) -> Place:
        return Place(self.number, op, self.keep())


class Slots(dict[int, EventSlot]):
    """The slots of one event by their index, as they are met; long rings are mostly not gone through to their end."""

    __slots__ = ("component", "count", "event", "granted", "offset", "width")

    def __init__(
        self, event: Event, width: int, component: int, offset: int, count: int | None, granted: frozenset[int]
    ) -> None:
        self.event = event
        self.width = width
        self.component = component
        self.offset = offset
        self.count = count
        self.granted = granted

    def __missing__(self, index: int) -> EventSlot:
        component = self.component + index if self.event.tx else -1
        slot = self[index] = EventSlot(self.event, index, self.width, component, self.offset)
        if self.count is not None:
            slot.count = slot.pending = self.count
        if index in self.granted and not slot.completed:
            slot.completed = 1
            slot.clocks.append(slot.clock[:])
        return slot

    def all(self) -> list[EventSlot]:
        return [self[0]] if self.event.slots == 1 else [self[index] for index in range(self.event.slots)]

    def met(self) -> list[EventSlot]:
        """The slots that something has named."""
        return [self[index] for index in sorted(self)]


@dataclass(slots=True, eq=False)
class Fault:
    """Something that went wrong in a run, before anybody has put it into words. `about` depends on `kind`."""

    kind: str
    at: Place
    other: Place | None = None
    about: dict[str, Any] = field(default_factory=dict)
    when: int = 0  # step of the run
