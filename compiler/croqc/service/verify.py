"""Verify kernels: simulator, card and static verdict side by side. Must not print; `run` does the running.

A run holds where every engine that can run it here says so and the static verdict is no failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from croqc.flow.analysis import CHECK_BUDGET
from croqc.flow.report import Strength
from croqc.runs.report import Verdict
from croqc.service.check import FileReport, FunctionReport
from croqc.service.flow_check import verdict_of, with_flow
from croqc.service.run import RunReport, run_planned
from croqc.service.run_plan import Planned, Request, plan_runs
from croqc.service.run_result import RunEntry, run_entry
from croqc.text.record import record, replace

if TYPE_CHECKING:
    from croqc.engines.gpu.parent import Parent  # which needs locks that Windows does not have

_GOOD = (Verdict.VERIFIED, Verdict.CONSISTENT)


@dataclass(frozen=True, slots=True)
class StaticVerdict:
    """The credit flow of a function: `verdict` as in `croq flow`, "none" for one without a kernel; `text` in words."""

    verdict: str
    text: str

    @property
    def ok(self) -> bool:
        return self.verdict != Strength.FAILS.value


@record
class VerifyReport:
    """One run. `gpu` is None where there is no card; `said` then says why. `agree`: no two of them contradict."""

    sim: RunReport
    gpu: RunReport | None
    static: StaticVerdict
    said: str = ""

    @property
    def ok(self) -> bool:
        """Whether each engine that can run it says so and the static verdict is no failure. Beside a card the simulator
        may be silent: what it cannot run, the card judges alone."""
        engines = self.sim.ok if self.gpu is None else self.gpu.ok and (self.sim.ok or _silent(self.sim))
        return engines and self.static.ok

    @property
    def agree(self) -> bool:
        spoken = [each for each in (self.sim, self.gpu) if each is not None and not _silent(each)]
        verdicts = {each.result.verdict in _GOOD for each in spoken}
        hangs = any(each.result.verdict is Verdict.HANGS for each in spoken)
        return len(verdicts) < 2 and not (hangs and self.static.verdict == Strength.PROVED.value)


@dataclass(frozen=True, slots=True)
class VerifyEntry:
    """A run in the result of `croq verify --json`."""

    sim: RunEntry
    gpu: RunEntry | None
    static: StaticVerdict
    ok: bool
    agree: bool
    said: str


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What `croq verify --json` prints, the runs in order."""

    version: int
    verified: tuple[VerifyEntry, ...]


def verify_result(reports: Sequence[VerifyReport]) -> VerifyResult:
    """The result for runs in the order given, version 1."""
    return VerifyResult(1, tuple(_entry(report) for report in reports))


def _entry(report: VerifyReport) -> VerifyEntry:
    gpu = None if report.gpu is None else run_entry(report.gpu)
    return VerifyEntry(run_entry(report.sim), gpu, report.static, report.ok, report.agree, report.said)


def _silent(report: RunReport) -> bool:
    return report.result.verdict is Verdict.NOT_RUN


def verify_file(
    report: FileReport,
    request: Request,
    recheck: Callable[[str], FileReport],
    card: Parent | None,
    absent: str = "",
) -> Iterator[VerifyReport]:
    """One report a run that the file asks for. `card`: the way to the card, None without one, for which `absent` is
    the reason. Raises PlanError for a usage error."""
    checked = with_flow(report, CHECK_BUDGET)
    for planned in plan_runs(report, request):
        other = planned.arch not in (None, report.target.name)
        own = with_flow(recheck(str(planned.arch)), CHECK_BUDGET) if other else checked
        yield _verify(own, planned, request, card, absent)


def _verify(report: FileReport, planned: Planned, request: Request, card: Parent | None, absent: str) -> VerifyReport:
    sim = run_planned(report, planned, replace(request, card=None))
    static = static_verdict(report, report.same(planned.function))
    if card is None or request.card is None:
        return VerifyReport(sim, None, _beside(static, sim), absent)
    gpu = run_planned(report, planned, replace(request, card=replace(request.card, report=True)), None, card)
    return VerifyReport(sim, gpu, _beside(static, sim, gpu))


def _beside(static: StaticVerdict, *runs: RunReport) -> StaticVerdict:
    """The static verdict beside a run that crashed: that is no contradiction, for it looks at the order alone."""
    crashed = any(each.result.verdict is Verdict.CRASHED for each in runs)
    if not crashed or static.verdict not in (Strength.PROVED.value, Strength.CHECKED.value):
        return static
    return StaticVerdict(static.verdict, f"{static.text}; it says nothing of indices")


_WEAKEST = (Strength.FAILS, Strength.UNKNOWN, Strength.CHECKED, Strength.PROVED)


def static_verdict(report: FileReport, own: FunctionReport) -> StaticVerdict:
    """The weakest verdict of a function's kernels."""
    flow = (report.flows or {}).get(own.analysis) if own.analysis else None
    if flow is None:
        return StaticVerdict(Strength.UNKNOWN.value, "not analysed: it has errors")
    if not flow.kernels:
        return StaticVerdict("none", "no kernel")
    weakest = min(flow.kernels, key=lambda kernel: _WEAKEST.index(kernel.strength))
    return StaticVerdict(weakest.strength.value, verdict_of(own, weakest))
