"""What a run keeps and anybody may ask of it: its kernel, its paths, its faults, its record. Must not move a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from croqc.flow.arrivals import Arrivals, Slot
from croqc.flow.paths import Path
from croqc.flow.program import Op, Program
from croqc.flow.state import Fault, PathState, Place
from croqc.sema.masks import Placement
from croqc.text.span import Span


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What all runs of a kernel share."""

    program: Program
    paths: tuple[Path, ...]
    placements: tuple[Placement, ...]
    arrivals: Mapping[Slot, Arrivals]
    bootstraps: frozenset[Span]  # references in triggers that give credits at start


class ExhaustedError(Exception):
    """The run has used up its steps."""


class Run:
    """`width` of its clocks, `own`: components of them that tell of the own block; `faults` in the order in which they
    were met; `steps` that were spent of `budget`.

    `weight`: what a step costs.
    """

    weight: int

    def __init__(self, setting: Setting, budget: int, record: bool) -> None:
        self.setting = setting
        self.budget = budget
        self.program = program = setting.program
        self.steps = 0
        self.faults: dict[tuple[object, ...], Fault] = {}
        self.record: list[tuple[Any, ...]] | None = [] if record else None
        tagged = sum(event.slots for event in program.events if event.tx)
        self.own = len(setting.paths) + (not program.divided) + tagged
        self.width = self.own * (1 + program.crosses)  # and as many of any other block of the cluster
        self.paths: list[PathState] = []

    def spend(self, steps: int) -> None:
        """Counts what a step costs beyond the usual. Raises ExhaustedError."""
        self.steps += steps
        if self.steps > self.budget:
            raise ExhaustedError

    def fault(self, kind: str, at: Place, other: Place | None = None, **about: Any) -> None:
        """Keeps the first fault of a kind between two places."""
        key = (kind, at.op.span, other.op.span if other is not None else None)
        if key not in self.faults:
            self.faults[key] = Fault(kind, at, other, about, self.steps)

    def arrival(self, number: int, epoch: int) -> Place:
        """Where a path stood as it ended an epoch; for one long past, the oldest end that is kept."""
        trail = self.paths[number].trail
        op, env, _ = trail.get(epoch) or next(iter(trail.values()))
        return Place(number, op, env)

    def note(self, path: PathState, op: Op, word: str = "", **about: Any) -> int:
        """Records a step; its number, or -1."""
        if self.record is None:
            return -1
        self.record.append((path.number, word or op.WORD, op, path.keep(), about))
        return len(self.record) - 1
