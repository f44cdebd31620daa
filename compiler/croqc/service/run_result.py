"""The result of `croq run --json`, version 1. Must not run or judge.

Lines and columns are 0-based, columns in UTF-16 units (LSP 3.17, `Position`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from croqc.runs.report import Box, ExpectationResult, HangEntry, Timing
from croqc.service.check_result import Place, Range
from croqc.service.run import RunReport
from croqc.text.source import Position


@dataclass(frozen=True, slots=True)
class WorstEntry:
    """The element that is furthest off."""

    index: tuple[int, ...]
    got: float | int
    want: float | int


@dataclass(frozen=True, slots=True)
class NormsEntry:
    """How far all elements are off (see `runs.report.Norms`)."""

    maxAbs: float  # noqa: N815 (the names of the JSON fields)
    relL2: float  # noqa: N815


@dataclass(frozen=True, slots=True)
class ExpectationEntry:
    """One `expect` line, or one output of a run without (see `runs.report.ExpectationResult`)."""

    text: str
    ok: bool
    rtol: float
    atol: float
    worst: WorstEntry | None
    differing: int
    total: int
    norms: NormsEntry
    within: Box | None


@dataclass(frozen=True, slots=True)
class HangingPath:
    """A path that waits for ever (see `runs.report.HangEntry`); `text` says all of it but the place, for a person."""

    path: str
    range: Range
    event: str
    slot: int | None
    generation: int
    owedBy: str  # noqa: N815
    text: str


@dataclass(frozen=True, slots=True)
class CeilingEntry:
    """What a card reaches at most (see `runs.report.Ceiling`)."""

    gbps: float
    tflops: float
    measured: str


@dataclass(frozen=True, slots=True)
class TimingEntry:
    """A card's figures (see `runs.report.Timing`)."""

    card: str
    rounds: int
    median: float
    best: float
    operations: int
    bytes: int
    tflops: float
    gbps: float
    ceiling: CeilingEntry | None


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run. Times are in seconds; `timing` is a card's; `range` is the place of `message`, if it has one; `offer` is
    what would run it all the same; `overload` the number of the function among those of its name."""

    path: str
    function: str
    overload: int
    name: str
    verdict: str
    engine: str
    arch: str
    sizes: Mapping[str, int | float | bool]
    seed: int
    schedule: int
    expectations: tuple[ExpectationEntry, ...]
    hang: tuple[HangingPath, ...]
    time: float
    compileTime: float  # noqa: N815
    timing: TimingEntry | None
    message: str
    range: Range | None
    prints: tuple[str, ...]
    notes: tuple[str, ...]
    offer: str | None


@dataclass(frozen=True, slots=True)
class RunsResult:
    """Version 1, the runs in the order in which they were made."""

    version: int
    runs: tuple[RunEntry, ...]


def run_result(reports: Sequence[RunReport]) -> RunsResult:
    """The result for runs in the order given."""
    return RunsResult(1, tuple(run_entry(report) for report in reports))


def run_entry(report: RunReport) -> RunEntry:
    """One run as data."""
    result = report.result
    return RunEntry(
        path=report.path,
        function=report.function,
        overload=report.overload,
        name=report.name,
        verdict=result.verdict.value,
        engine=result.engine,
        arch=result.arch,
        sizes=dict(result.sizes),
        seed=result.seed,
        schedule=result.schedule,
        expectations=tuple(_expectation(item) for item in result.expectations),
        hang=tuple(_hanging(item) for item in result.hang),
        time=result.time,
        compileTime=result.compile_time,
        timing=None if result.timing is None else _timing(result.timing),
        message=report.message,
        range=None if report.place is None else _range(*report.place),
        prints=report.prints,
        notes=report.notes,
        offer=report.offer,
    )


def _timing(item: Timing) -> TimingEntry:
    rate, most = (item.tflops, item.gigabytes), item.ceiling
    known = None if most is None else CeilingEntry(most.gigabytes, most.tflops, most.measured)
    return TimingEntry(item.card, item.rounds, item.median, item.best, item.operations, item.bytes, *rate, known)


def _range(start: Position, end: Position) -> Range:
    return Range(Place(start.line, start.column), Place(end.line, end.column))


def _expectation(item: ExpectationResult) -> ExpectationEntry:
    worst = None if item.worst is None else WorstEntry(item.worst.index, item.worst.got, item.worst.want)
    norms = NormsEntry(item.norms.max_abs, item.norms.rel_l2)
    return ExpectationEntry(
        item.text, item.ok, item.rtol, item.atol, worst, item.differing, item.total, norms, item.within
    )


def _hanging(item: HangEntry) -> HangingPath:
    place, awaited = _range(item.start, item.end), (item.event, item.slot, item.generation)
    return HangingPath(item.path, place, *awaited, item.owed_by, hang_text(item))


def hang_text(item: HangEntry) -> str:
    """As in "path w == 0 waits for empty[1], generation 3; owed by path w == 1 (has ended, …)"."""
    awaited = f"{item.event}{item.index}, generation {item.generation}" if item.event else "the others"
    return f"{item.path} waits for {awaited}" + (f"; owed by {item.owed_by}" if item.owed_by else "")
