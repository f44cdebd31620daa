"""A step that can be gone, and what it may ask of the run that goes it. Must not know single steps.

A step's `step` does its work and moves the path on; False means that the path stands still.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from croqc.flow.accesses import Accesses
from croqc.flow.barriers import Barriers
from croqc.flow.exprs import Value
from croqc.flow.program import Event, Loop, Op
from croqc.flow.run import Run
from croqc.flow.state import EventSlot, PathState, Slots, Transfer
from croqc.syntax import ast


class Walk(Run, ABC):
    """A run as its steps see it; `machine` goes it.

    `leapt`: turns of long loops were left out. `held`: what handles were given. `grouped`: by slot and generation, the
    recorded steps that it consists of. `watch` is told of each turn of a loop after the first one; `turned` behind it,
    and it may move paths on.
    """

    accesses: Accesses
    barriers: Barriers
    leapt: bool
    watch: Callable[[PathState, Loop | int], None] | None
    turned: Callable[[PathState, Loop], None] | None
    held: list[tuple[int, int, Transfer]]  # path, handle, what it was given
    grouped: dict[tuple[EventSlot, int], list[int]]

    @abstractmethod
    def instance(self, event: Event, round_: int) -> Slots:
        """The slots of an event as its declaration is passed for the given time."""

    @abstractmethod
    def some_thread(self, path: PathState, branch: Op, value: Value, split: bool) -> bool:
        """Whether a condition holds for some thread of a path. Raises UndecidedError where the threads part."""

    @abstractmethod
    def fork(self, block: PathState, node: ast.Parallel, entry: int) -> None:
        """The paths of an inner `parallel` are to go on at `entry`."""

    @abstractmethod
    def join(self, block: PathState, op: Op) -> bool:
        """Whether every path has done what it was given."""

    @abstractmethod
    def meet(self, path: PathState, op: Op) -> bool:
        """Whether all paths have come to the barrier."""

    @abstractmethod
    def finish(self, path: PathState, leaves: bool) -> None:
        """The path has nothing more to do; for good if it `leaves`."""


class Step(Op, ABC):
    """An `Op` that can be gone."""

    __slots__ = ()

    @abstractmethod
    def step(self, machine: Walk, path: PathState) -> bool:
        """Does the work of the step and moves the path on; False where it stands still."""
