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


class Run:
    """`width` of its clocks; `faults` in the order in which they were met; `steps` that were spent."""

    def __init__(self, setting: Setting, record: bool) -> None:
        self.setting = setting
        self.program = program = setting.program
        self.steps = 0
        self.faults: dict[tuple[object, ...], Fault] = {}
        self.record: list[tuple[Any, ...]] | None = [] if record else None
        tagged = sum(event.slots for event in program.events if event.tx)
        self.width = len(setting.paths) + (not program.divided) + tagged
        self.paths: list[PathState] = []

    def fault(self, kind: str, at: Place, other: Place | None = None, **about: Any) -> None:
        """Keeps the first fault of a kind between two places."""
        key = (kind, at.op.span, other.op.span if other is not None else None)
        if key not in self.faults:
            self.faults[key] = Fault(kind, at, other, about, self.steps)

    def note(self, path: PathState, op: Op, word: str = "", **about: Any) -> int:
        """Records a step; its number, or -1."""
        if self.record is None:
            return -1
        self.record.append((path.number, word or op.WORD, op, path.keep(), about))
        return len(self.record) - 1
