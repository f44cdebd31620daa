"""What a run found, as data: the one result that command line, editor and tests read. Must not print.

`to_json` gives the fields of `croq run --json`; places are 0-based lines and UTF-16 columns, as in LSP. Numbers
that JSON lacks are the strings "nan", "inf" and "-inf".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

from croqc.text.source import Position

Box = tuple[tuple[int, int], ...]
"""For each axis a start and an end, the end not included."""


class Verdict(Enum):
    """How a run ended. CONSISTENT: it agrees with the plain order of the same program, no expectation given."""

    VERIFIED = "verified"
    CONSISTENT = "consistent"
    WRONG = "wrong"
    HANGS = "hangs"
    CRASHED = "crashed"
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True)
class Worst:
    """The element that is furthest outside its tolerance, or nearest to the edge of it."""

    index: tuple[int, ...]
    got: float | int
    want: float | int

    def to_json(self) -> dict[str, Any]:
        return {"index": list(self.index), "got": _number(self.got), "want": _number(self.want)}


@dataclass(frozen=True, slots=True)
class Norms:
    """Largest absolute error; error's 2-norm over the expected values' (over 1 where that is 0)."""

    max_abs: float
    rel_l2: float

    def to_json(self) -> dict[str, Any]:
        return {"maxAbs": _number(self.max_abs), "relL2": _number(self.rel_l2)}


@dataclass(frozen=True, slots=True)
class ExpectationResult:
    """One expectation: `differing` of `total` elements are outside |got - want| <= atol + rtol |want|, all of them
    in the box `within`, None where none differs or the value is a single number."""

    text: str
    ok: bool
    rtol: float
    atol: float
    worst: Worst | None
    differing: int
    total: int
    norms: Norms
    within: Box | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "ok": self.ok,
            "rtol": self.rtol,
            "atol": self.atol,
            "worst": None if self.worst is None else self.worst.to_json(),
            "differing": self.differing,
            "total": self.total,
            "norms": self.norms.to_json(),
            "within": None if self.within is None else [list(ends) for ends in self.within],
        }


@dataclass(frozen=True, slots=True)
class HangEntry:
    """A path that waits for ever: at which place, for which generation of which slot, who owes it."""

    path: str
    start: Position
    end: Position
    event: str
    slot: int | None
    generation: int
    owed_by: str

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "range": {"start": _position(self.start), "end": _position(self.end)},
            "event": self.event,
            "slot": self.slot,
            "generation": self.generation,
            "owedBy": self.owed_by,
        }


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of one kernel. `time` is in seconds; `sizes` keeps its order."""

    verdict: Verdict
    engine: str
    arch: str
    sizes: tuple[tuple[str, int | float | bool], ...]
    seed: int
    schedule: int
    expectations: tuple[ExpectationResult, ...] = ()
    hang: tuple[HangEntry, ...] = ()
    time: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict.value,
            "engine": self.engine,
            "arch": self.arch,
            "sizes": dict(self.sizes),
            "seed": self.seed,
            "schedule": self.schedule,
            "expectations": [item.to_json() for item in self.expectations],
            "hang": [item.to_json() for item in self.hang],
            "time": self.time,
        }


def _number(value: float | int) -> float | int | str:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _position(place: Position) -> dict[str, int]:
    return {"line": place.line, "character": place.column}
