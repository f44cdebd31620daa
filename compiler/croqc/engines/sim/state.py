"""What a running program consists of: the run, a block, a path, a frame. Must not know the tree's statements."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from croqc.engines.sim.machine.barrier import MBarrier, NamedBarrier
from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.scheduler import Budget, Operation, Scheduler, Steps, Task
from croqc.engines.sim.machine.views import View
from croqc.sema.model import Symbol

Value = Any


@dataclass(slots=True, eq=False)
class RunState:
    """One simulation: its budget, its output and what the program's C++ functions are said to mean."""

    budget: Budget
    exact: bool
    ordered: bool
    seed: int
    models: Mapping[str, Callable[..., Value]]
    prints: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    result: Value = None
    progress: Callable[[int, int], None] | None = None
    workers: int = 1


def note(run: RunState, text: str) -> None:
    """Notes a fact of the run, once."""
    if text not in run.notes:
        run.notes.append(text)


@dataclass(slots=True, eq=False)
class Event:
    """An event declaration in being: one barrier a slot, `array` its extents. `round`: how often it was passed."""

    symbol: Symbol
    round: int
    array: tuple[int, ...]
    slots: list[MBarrier]


@dataclass(slots=True, eq=False)
class Meeting:
    """The barrier of all paths of a block, or of those that run an inner `parallel`; `generation` grows when the last
    one has come. `leader`: the path that does what all do together."""

    parties: int = 1
    leader: int = 0
    arrived: int = 0
    generation: int = 0

    def arrive(self) -> None:
        self.arrived += 1
        if self.arrived >= self.parties:
            self.arrived = 0
            self.generation += 1


@dataclass(slots=True, eq=False)
class OwnValues:
    """What paths have made of the block's variables, by slot and path: the number of the `parallel` that the block had
    entered then, and the value. `assigned`: how many it had entered when its own flow last assigned the variable."""

    forks: int = 0
    values: dict[int, dict[int, tuple[int, Value]]] = field(default_factory=dict)
    assigned: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class BlockState:
    """One thread block: its shared memory, events, barriers and the scheduler that runs its paths.

    `peers` are all blocks that run with it, itself among them: those of its cluster, or of a cooperative launch,
    which has a barrier of its own, `grid`.
    """

    run: RunState
    scheduler: Scheduler
    memory: dict[object, Buffer] = field(default_factory=dict)
    events: dict[tuple[Symbol, int], Event] = field(default_factory=dict)
    named: dict[int, NamedBarrier] = field(default_factory=dict)
    meetings: dict[tuple[int, ...], Meeting] = field(default_factory=dict)
    grid: Meeting | None = None
    peers: list[BlockState] = field(default_factory=list)
    paths: dict[int, PathState] = field(default_factory=dict)
    own: OwnValues = field(default_factory=OwnValues)


@dataclass(slots=True, eq=False)
class PathState:
    """One path: `position` among the paths of its block, -1 for the block's own flow outside inner parallels.

    `phases`: its own wait counters per event slot. `bound`: copies that named an event slot and wait for this
    path's next trigger of it. `threads`: its thread numbers in the block. `declared`: how often it passed an
    event's declaration. `jobs`: bodies still to run; of each inner `parallel`, how many were `given` and are `ended`.
    `has_left`: a `yield` of the path has left the kernel; `left`: the
    threads of which one has.
    """

    name: str
    threads: Array
    position: int
    task: Task
    phases: dict[MBarrier, int] = field(default_factory=dict)
    bound: dict[MBarrier, list[Transfer]] = field(default_factory=dict)
    declared: dict[Symbol, int] = field(default_factory=dict)
    jobs: deque[Steps] = field(default_factory=deque)
    given: dict[object, int] = field(default_factory=dict)
    ended: dict[object, int] = field(default_factory=dict)
    has_left: bool = False
    left: Array | None = None


@dataclass(slots=True, eq=False)
class Transfer:
    """An asynchronous copy: on landing its bytes complete on `barriers`, if a trigger has bound it there.

    `everywhere`: it lands in every block of the cluster, and its bytes count on the barriers of all of them.
    """

    size: int
    everywhere: bool = False
    operation: Operation | None = None
    barriers: tuple[MBarrier, ...] = ()
    landed: bool = False

    def land(self) -> None:
        self.landed = True
        for barrier in self.barriers:
            barrier.complete(self.size)

    def bind(self, *barriers: MBarrier) -> None:
        """Expects the bytes on barriers; bytes that have landed already count as expected and complete."""
        if not self.landed:
            for barrier in barriers:
                barrier.expect(self.size)
            self.barriers = barriers


@dataclass(slots=True, eq=False)
class FutureState:
    """A handle: the destination it names and the transfer or multiply in flight. Swapping swaps these."""

    view: View | None = None
    transfer: Transfer | None = None
    operation: Operation | None = None


@dataclass(slots=True, eq=False)
class Frame:
    """The variables of one flow of control, by slot, and which threads are active.

    `lanes`: the threads of the path once a thread-level `parallel` is entered, else 0. `mask`: the active ones,
    None for all; `region`: those of the region around. `broken`, `continued`, `left`: threads that a jump took out of
    the loop, the iteration, the kernel.
    `meeting`: the barrier of the paths that run with it.
    """

    run: RunState
    vars: list[Value]
    bounds: list[Value]
    block: BlockState | None = None
    path: PathState | None = None
    lanes: int = 0
    mask: Array | None = None
    region: Array | None = None
    broken: Array | None = None
    continued: Array | None = None
    left: Array | None = None
    meeting: Meeting = field(default_factory=Meeting)

    def active(self, mask: Array | None) -> Array | None:
        """A mask without the threads that jumped away."""
        for gone in (self.broken, self.continued, self.left):
            if gone is not None:
                mask = ~gone if mask is None else mask & ~gone
        return mask

    def fork(self) -> Frame:
        """A frame with the same values for another path."""
        return Frame(self.run, list(self.vars), list(self.bounds), self.block)

    def narrowed(self, condition: Value) -> Array | None:
        """The active threads for which a condition holds."""
        if not isinstance(condition, np.ndarray):
            return self.mask
        return condition if self.mask is None else self.mask & condition
