"""The seeded scheduler: paths as generators and operations in flight, interleaved at every step.

Must not know what a path does. A path yields None after a step, or a `Block` when it cannot go on until the
block's test holds. An operation in flight (an asynchronous copy, a multiply that still reads its operands) may
finish at any step once it is ready; it is not told when.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from croqc.engines.sim.errors import StepLimitError
from croqc.text.span import NOWHERE, Span

LAGS = (1.0, 1.0, 0.3, 0.05)
"""How willingly operations in flight finish compared with paths; drawn for each block."""


@dataclass(slots=True, eq=False)
class Block:
    """Why a path stands still: `test` tells whether it may go on. `about` is what a hang report needs."""

    test: Callable[[], bool]
    span: Span
    about: Any = None


Steps = Generator[Block | None, None, Any]


@dataclass(slots=True, eq=False)
class Operation:
    """Work in flight. `run` finishes it; `queue`: operations of one queue finish in the order of their issue.

    `into`: the accumulator that it changes.
    """

    run: Callable[[], None]
    queue: object = None
    after: Operation | None = None
    into: object = None
    done: bool = False

    def finish(self) -> None:
        if not self.done:
            self.done = True
            self.run()


@dataclass(slots=True, eq=False)
class Task:
    """A running path. `place` is set by the path: the statement that it executes."""

    name: str
    steps: Steps
    owner: Any = None
    block: Block | None = None
    done: bool = False
    place: Span = NOWHERE


@dataclass(slots=True, eq=False)
class Budget:
    """Steps used and allowed, over all blocks of a run."""

    limit: int
    used: int = 0
    place: Span = NOWHERE

    def spend(self, steps: int = 1) -> None:
        self.used += steps
        if self.used > self.limit:
            raise StepLimitError(f"the kernel did not end within {self.limit} steps", self.place)


@dataclass(slots=True, eq=False)
class Scheduler:
    """Runs tasks until all are done (`run` gives ()) or none can step (the stuck tasks).

    `random` None: the ordered schedule, each path as far as it goes, operations finished when they are issued.
    """

    budget: Budget
    random: Random | None
    tasks: list[Task] = field(default_factory=list)
    flying: list[Operation] = field(default_factory=list)
    lag: float = 1.0

    def add(self, task: Task) -> None:
        self.tasks.append(task)

    def issue(self, operation: Operation) -> None:
        """Puts an operation in flight; in the ordered schedule it is finished at once."""
        if self.random is None:
            operation.finish()
        else:
            self.flying.append(operation)

    def drain(self, queue: object) -> None:
        """Finishes every operation of a queue, in order."""
        for operation in [each for each in self.flying if each.queue is queue]:
            self._land(operation)

    def drain_into(self, accumulator: object) -> None:
        """Finishes, in order, every operation up to the last one that changes an accumulator."""
        mine = [each for each in self.flying if each.into is accumulator]
        if mine:
            last = self.flying.index(mine[-1])
            for operation in [each for each in self.flying[: last + 1] if each.queue is mine[-1].queue]:
                self._land(operation)

    def settle(self) -> None:
        """Finishes whatever is still in flight: the end of a kernel."""
        while self.flying:
            self._land(self.flying[0])

    def run(self) -> tuple[Task, ...]:
        while True:
            self.tasks = [task for task in self.tasks if not task.done]
            if not self.tasks:
                return ()
            ready = [task for task in self.tasks if task.block is None or task.block.test()]
            landable = self._landable() if self.flying else []
            if not ready and not landable:
                return tuple(self.tasks)
            self._step(ready, landable)

    def _step(self, ready: list[Task], landable: list[Operation]) -> None:
        if self.random is None:
            self._advance(ready[0])
            return
        if landable and (not ready or self._lands(len(ready), len(landable))):
            self.budget.spend()
            self._land(self.random.choice(landable))
        else:
            self._advance(ready[0] if len(ready) == 1 else self.random.choice(ready))

    def _lands(self, paths: int, operations: int) -> bool:
        assert self.random is not None
        return self.random.random() * (paths + operations * self.lag) > paths

    def _advance(self, task: Task) -> None:
        self.budget.place = task.place
        self.budget.spend()
        task.block = None
        try:
            task.block = next(task.steps)
        except StopIteration:
            task.done = True

    def _landable(self) -> list[Operation]:
        seen: list[object] = []
        found = []
        for operation in self.flying:
            if operation.queue is not None:
                if any(operation.queue is queue for queue in seen):
                    continue
                seen.append(operation.queue)
            if operation.after is None or operation.after.done:
                found.append(operation)
        return found

    def _land(self, operation: Operation) -> None:
        self.flying.remove(operation)
        if operation.after is not None and not operation.after.done:
            self._land(operation.after)
        operation.finish()
