"""What a run found, as data: the one result that command line, editor and tests read. Must not print.

Places are 0-based lines and UTF-16 columns, as in LSP. What `croq run --json` prints is `service.run_result`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

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


@dataclass(frozen=True, slots=True)
class Norms:
    """Largest absolute error; error's 2-norm over the expected values' (over 1 where that is 0)."""

    max_abs: float
    rel_l2: float


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


@dataclass(frozen=True, slots=True)
class HangEntry:
    """A path that waits for ever: at which place, for which generation of which slot, who owes it. `index`: the slot as
    the source writes it, "[1][0]"."""

    path: str
    start: Position
    end: Position
    event: str
    slot: int | None
    generation: int
    owed_by: str
    index: str


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a card reaches at most, as measured on the day `measured` (YYYY-MM-DD): GB/s of its own copy, read and
    written, and TFLOP/s of cuBLAS for f16 matrices of 8192 x 8192, 0 where there was no BLAS."""

    gigabytes: float
    tflops: float
    measured: str


@dataclass(frozen=True, slots=True)
class Timing:
    """A kernel's time on a card, in seconds, all launches of the function together; `best` of the `rounds`.

    `operations`: 2 M N K of every multiply instruction that was executed, 0 where there is none or the number hangs on
    data. `bytes`: every array once for each of read and written, what the kernel must move at least. `ceiling`: of the
    card, where it is known.
    """

    card: str
    rounds: int
    median: float
    best: float
    operations: int
    bytes: int
    ceiling: Ceiling | None = None

    @property
    def tflops(self) -> float:
        return self.operations / self.median / 1e12 if self.median else 0.0

    @property
    def gigabytes(self) -> float:
        """Per second."""
        return self.bytes / self.median / 1e9 if self.median else 0.0


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of one kernel; `sizes` keeps its order.

    `time` is in seconds: of the whole run in the simulator, of the kernels on a card. `compile_time` and `timing` are
    a card's.
    """

    verdict: Verdict
    engine: str
    arch: str
    sizes: tuple[tuple[str, int | float | bool], ...]
    seed: int
    schedule: int
    expectations: tuple[ExpectationResult, ...] = ()
    hang: tuple[HangEntry, ...] = ()
    time: float = 0.0
    compile_time: float = 0.0
    timing: Timing | None = None
