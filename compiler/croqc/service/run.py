"""Run the kernels of a checked file and verify them. Must not print; the engine does the running.

A kernel with errors is not run. Without an `expect` line, or with `expect auto`, the same program in its plainest
order is the reference, and agreement is called "consistent".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from croqc.engines.sim.errors import SimError
from croqc.engines.sim.hang import hang_entry
from croqc.engines.sim.parameters import LaunchArgs
from croqc.engines.sim.simulate import DEFAULT_STEPS, SimOptions, SimResult, simulate
from croqc.runs.report import RunResult, Verdict
from croqc.sema.model import Analysis, Model
from croqc.service.check import FileReport, FunctionReport
from croqc.service.run_data import DataTooLargeError, RunData, Size, make_data
from croqc.service.run_notes import broken_assumptions, hang_notes
from croqc.service.run_plan import Planned, Request, plan_runs
from croqc.service.run_verdict import auto_expectations, judge, model_functions
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import record
from croqc.text.source import Position
from croqc.text.span import Span

Progress = Callable[[int, int], None]


@record
class RunReport:
    """One run: the result, whose it is, and what else is to be said. `place` is 0-based, UTF-16, as in LSP."""

    path: str
    function: str
    name: str
    result: RunResult
    message: str = ""
    place: tuple[Position, Position] | None = None
    prints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.result.verdict in (Verdict.VERIFIED, Verdict.CONSISTENT)


def run_file(
    report: FileReport, request: Request, recheck: Callable[[str], FileReport], on_progress: Progress | None = None
) -> Iterator[RunReport]:
    """Run what a file asks for, one report a run. `recheck` checks the file for another architecture.

    Raises PlanError for a usage error, before anything runs.
    """
    for planned in plan_runs(report, request):
        yield _run(_for_arch(report, planned, recheck), planned, request, on_progress)


def _for_arch(report: FileReport, planned: Planned, recheck: Callable[[str], FileReport]) -> FileReport:
    return report if planned.arch in (None, report.target.name) else recheck(str(planned.arch))


def _run(report: FileReport, planned: Planned, request: Request, on_progress: Progress | None) -> RunReport:
    function = report.function_named(planned.function.name) or planned.function
    runner = _Runner(report, function, planned, request, on_progress)
    if planned.problem:
        return runner.ended(Verdict.NOT_RUN, planned.problem, planned.place)
    errors = [
        item for item in report.diagnostics if item.severity is Severity.ERROR and _concerns(report, function, item)
    ]
    if errors or function.analysis is None:
        first = errors[0] if errors else None
        reason = f"it has errors; the first: {first.message}" if first else "it cannot be read"
        return runner.ended(Verdict.NOT_RUN, reason, first.span if first else None)
    return runner.run(function.analysis)


def _concerns(report: FileReport, function: FunctionReport, item: Diagnostic) -> bool:
    """Whether an error keeps a function from being run: one inside it, in its directives, or in the host text."""
    if item.code != "run-directive":
        return function.spans(item.span) or not any(other.spans(item.span) for other in report.functions)
    ends = [other.base + len(other.parsed.source.text) for other in report.functions]
    owner = next((index for index, end in enumerate(ends) if item.span.start < end), len(ends) - 1)
    return report.functions[owner].base == function.base


class _Runner:
    """One run in progress; collects what its report needs."""

    def __init__(
        self,
        report: FileReport,
        function: FunctionReport,
        planned: Planned,
        request: Request,
        on_progress: Progress | None,
    ) -> None:
        self.report, self.function, self.planned, self.request = report, function, planned, request
        self.on_progress = on_progress
        self.start = time.perf_counter()
        self.schedule = 0
        self.last: SimResult | None = None
        self.drawn: dict[str, Size] = {}
        self.notes: list[str] = []

    def ended(self, verdict: Verdict, message: str = "", span: Span | None = None, **parts: Any) -> RunReport:
        """The report; `span` is absolute."""
        source, last = self.report.source, self.last
        sizes = tuple({**self.planned.sizes, **self.drawn}.items())
        result = RunResult(
            verdict,
            "sim",
            self.report.target.name,
            sizes,
            self.planned.seed,
            self.schedule,
            time=time.perf_counter() - self.start,
            **parts,
        )
        place = (source.position(span.start), source.position(span.end)) if span else None
        prints, notes = (last.prints, last.notes) if last else ((), ())
        name, said = self.planned.name, (*self.notes, *notes)
        return RunReport(source.path, self.function.name, name, result, message, place, prints, said)

    def simulate(self, model: Model, data: RunData, **options: Any) -> SimResult:
        env = LaunchArgs(data.arrays, data.scalars, data.dims)
        models = model_functions(self.planned.directives)
        steps = self.request.max_steps or DEFAULT_STEPS
        return simulate(model, env, SimOptions(max_steps=steps, models=models, **options))

    def broken(self, result: SimResult) -> RunReport | None:
        """The report of a run that hung or broke off, else None."""
        if result.hang:
            self.notes += hang_notes(self.report, self.function)
            entries = [hang_entry(item, self.report.source, self.function.base) for item in result.hang]
            return self.ended(Verdict.HANGS, hang=tuple(entries))
        error: SimError | None = result.error
        if error is not None:
            verdict = Verdict.NOT_RUN if error.unsupported else Verdict.CRASHED
            return self.ended(verdict, error.message, error.span.shift(self.function.base))
        return None

    def run(self, analysis: Analysis) -> RunReport:
        model = analysis.model
        try:
            data = make_data(model, self.planned.sizes, self.planned.seed)
        except DataTooLargeError as error:
            return self.ended(Verdict.NOT_RUN, str(error))
        self.drawn = {name: _plain(value) for name, value in data.scalars.items() if name not in self.planned.sizes}
        self.notes = list(broken_assumptions(analysis, data.dims))
        expects = [item for item in self.planned.directives.expects if item.expr is not None]
        reference: SimResult | None = None
        if len(expects) < len(self.planned.directives.expects) or not expects:
            reference = self.simulate(model, data, schedule="ordered", exact=True)
            self.last = reference
            if report := self.broken(reference):
                return report
        judged: RunReport | None = None
        for schedule in range(self.request.schedules):
            self.schedule = schedule
            seed = self.planned.seed + schedule
            result = self.last = self.simulate(model, data, seed=seed, on_progress=self.on_progress)
            judged = self.broken(result) or self._judge(model, data, result, reference, expects)
            if not judged.ok:
                break
        assert judged is not None
        return judged

    def _judge(
        self, model: Model, data: RunData, result: SimResult, reference: SimResult | None, expects: Any
    ) -> RunReport:
        outcome = judge(model, data, result, expects, self.planned.sizes)
        if outcome.problem:
            return self.ended(Verdict.NOT_RUN, outcome.problem, outcome.place)
        results = outcome.results
        self.notes += outcome.notes
        if reference is not None:
            results += auto_expectations(model, data, result, reference)
        if not all(item.ok for item in results):
            return self.ended(Verdict.WRONG, expectations=results)
        nothing = "" if results else "it writes no output, so there is nothing to compare"
        return self.ended(Verdict.VERIFIED if expects else Verdict.CONSISTENT, nothing, expectations=results)


def _plain(value: Size) -> Size:
    return value if isinstance(value, int) else float(value)
