"""Run the kernels of a checked file and verify them. Must not print; an engine does the running.

A kernel with errors is not run. Without an `expect` line, or with `expect auto`, the same program in its plainest
order, in the simulator, is the reference, and agreement is called "consistent". All engines are judged alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from croqc.engines.arguments import LaunchArgs
from croqc.engines.base import EngineResult
from croqc.engines.hang import hang_entry
from croqc.engines.sim.simulate import DEFAULT_STEPS, SimOptions, SimResult, simulate
from croqc.rules.table import FLOW_RULES
from croqc.runs.report import RunResult, Verdict
from croqc.sema.model import Analysis, Model
from croqc.service.check import FileReport, FunctionReport
from croqc.service.run_data import DataTooLargeError, RunData, make_data, otherwise_poisoned
from croqc.service.run_notes import (
    broken_assumptions,
    dropped_rests,
    flow_note,
    hang_notes,
    lost_writes,
    undefined_rests,
)
from croqc.service.run_plan import Planned, Request, plan_runs
from croqc.service.run_values import Size
from croqc.service.run_verdict import Outcome, auto_expectations, judge, misfit, model_functions
from croqc.targets import TARGETS
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import record, replace
from croqc.text.source import Position
from croqc.text.span import NOWHERE, Span

if TYPE_CHECKING:  # the way to a card loads the back end, and needs an operating system that has locks
    from croqc.engines.gpu.parent import Parent

Progress = Callable[[int, int], None]


@record
class RunReport:
    """One run: the result, whose it is, and what else is to be said. `place` is 0-based, UTF-16, as in LSP.

    `warning`: the one of the notes that casts doubt on the verdict.
    """

    path: str
    function: str
    name: str
    result: RunResult
    message: str = ""
    place: tuple[Position, Position] | None = None
    prints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()  # the sizes that nobody has given
    offer: str | None = None  # "force" where the verdict of the credit flow alone keeps it from the card
    warning: str = ""
    overload: int = 0  # the number of the function among those of its name

    @property
    def ok(self) -> bool:
        return self.result.verdict in (Verdict.VERIFIED, Verdict.CONSISTENT)


def run_file(
    report: FileReport,
    request: Request,
    recheck: Callable[[str], FileReport],
    on_progress: Progress | None = None,
    card: Parent | None = None,
) -> Iterator[RunReport]:
    """Run what a file asks for, one report a run. `recheck` checks the file for another architecture.

    `card` is the way to the card for a request that asks for one. Raises PlanError for a usage error, before anything
    runs.
    """
    for planned in plan_runs(report, request):
        yield run_planned(_for_arch(report, planned, recheck), planned, request, on_progress, card)


def _for_arch(report: FileReport, planned: Planned, recheck: Callable[[str], FileReport]) -> FileReport:
    known = planned.arch in TARGETS and planned.arch != report.target.name
    return recheck(str(planned.arch)) if known else report  # the check has told of an unknown one


def run_planned(
    report: FileReport,
    planned: Planned,
    request: Request,
    on_progress: Progress | None = None,
    card: Parent | None = None,
) -> RunReport:
    """One run. `report` is of the architecture that was planned. Raises ValueError for a card without a way."""
    if request.card is not None and card is None:
        raise ValueError("a run on a card needs the way to it")
    function = report.same(planned.function)
    runner = _Runner(report, function, planned, request, on_progress, card)
    if (found := obstacle(report, function, planned)) is not None:
        return runner.ended(Verdict.NOT_RUN, *found)
    assert function.analysis is not None
    done = runner.run(function.analysis)
    doubt = flow_note(report, function, done.result.verdict)
    return replace(done, notes=(*done.notes, *doubt), warning="".join(doubt))


def obstacle(report: FileReport, function: FunctionReport, planned: Planned) -> tuple[str, Span | None] | None:
    """Why a run cannot begin on any engine, with its absolute place: a plan without sizes, a function with errors."""
    if planned.problem:
        return planned.problem, planned.place
    errors = [
        item
        for item in report.diagnostics
        if item.severity is Severity.ERROR and item.code not in FLOW_RULES and _concerns(report, function, item)
    ]
    if errors:
        first = errors[0]
        if first.code == "run-directive":
            return "; ".join(filter(None, (first.message, first.hint))), first.span
        return f"it has errors; the first: {first.message}", first.span
    return ("it cannot be read", None) if function.analysis is None else None


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
        card: Parent | None,
    ) -> None:
        self.report, self.function, self.planned, self.request = report, function, planned, request
        self.on_progress, self.card = on_progress, card
        self.start = time.perf_counter()
        self.schedule = 0
        self.last: EngineResult | None = None
        self.drawn: dict[str, Size] = {}
        self.notes: list[str] = []
        self.expects = [item for item in planned.directives.expects if item.expr is not None]

    def ended(self, verdict: Verdict, message: str = "", span: Span | None = None, **parts: Any) -> RunReport:
        """The report; `span` is absolute."""
        source, last = self.report.source, self.last
        sizes = tuple({**self.planned.sizes, **self.drawn}.items())
        engine = "sim" if self.request.card is None else "gpu"
        times: dict[str, Any] = {"time": time.perf_counter() - self.start}
        if engine == "gpu":
            from croqc.service.run_card import figures

            times = figures(last)
        result = RunResult(
            verdict,
            engine,
            self.report.target.name,
            sizes,
            self.planned.seed,
            self.schedule,
            **times,
            **parts,
        )
        place = (source.position(span.start), source.position(span.end)) if span else None
        prints, notes = (last.prints, last.notes) if last else ((), ())
        name, said = self.planned.name, (*self.notes, *notes)
        report = RunReport(source.path, self.function.name, name, result, message, place, prints, said, self._chosen())
        return replace(report, overload=self.report.overloads[self.function.base])

    def _chosen(self) -> tuple[str, ...]:
        return tuple(name for name in self.planned.sizes if name in self.planned.chosen)

    def simulate(self, model: Model, data: RunData, **options: Any) -> SimResult:
        env = LaunchArgs(data.arrays, data.scalars, data.dims)
        models = model_functions(self.planned.directives)
        steps = self.request.max_steps or DEFAULT_STEPS
        return simulate(model, env, SimOptions(max_steps=steps, models=models, **options))

    def execute(self, model: Model, data: RunData, schedule: int) -> EngineResult:
        if self.request.card is not None and self.card is not None:
            from croqc.service.run_card import execute

            way = self.request.card, self.card
            return execute(self.report, self.function, data, self.planned.sizes, *way, self.expects)
        return self.simulate(model, data, seed=self.planned.seed + schedule, on_progress=self.on_progress)

    def broken(self, result: EngineResult) -> RunReport | None:
        """The report of a run that hung or broke off, else None."""
        error = result.error
        if result.hung:
            self.notes += hang_notes(self.report, self.function)
            entries = [hang_entry(item, self.report.source, self.function.base) for item in result.hang]
            return self.ended(Verdict.HANGS, error.message if error else "", hang=tuple(entries))
        if error is not None:
            verdict = Verdict.NOT_RUN if error.unsupported else Verdict.CRASHED
            place = None if error.span == NOWHERE else error.span.shift(self.function.base)
            return self.ended(verdict, error.message, place)
        return None

    def run(self, analysis: Analysis) -> RunReport:
        model = analysis.model
        auto = len(self.expects) < len(self.planned.directives.expects) or not self.expects
        try:
            data = make_data(model, self.planned.sizes, self.planned.seed, self._on_card(model, auto))
        except DataTooLargeError as error:
            return self.ended(Verdict.NOT_RUN, str(error))
        self.drawn = {name: _plain(value) for name, value in data.scalars.items() if name not in self.planned.sizes}
        self.notes = [
            *broken_assumptions(analysis, data.dims),
            *dropped_rests(analysis, data.dims),
            *lost_writes(analysis),
        ]
        if (outcome := misfit(model, data, self.expects, self.planned.sizes)).problem:
            return self.ended(Verdict.NOT_RUN, outcome.problem, outcome.place)
        if report := self._refused(data, auto):
            return report
        reference: SimResult | None = None
        if auto:
            told = otherwise_poisoned(model, data)
            self.last = reference = self.simulate(model, told, schedule="ordered", exact=True)
            if self.card is not None and reference.hung:
                return self._without_reference(model, data)
            if self.card is not None and reference.error is not None and reference.error.unsupported:
                reason = f"it has no expectation, and the simulator cannot make a reference: {reference.error.message}"
                return self.ended(Verdict.NOT_RUN, f"{reason}; write '// croq: expect …'")
            if report := self.broken(reference):
                return report
        judged: RunReport | None = None
        for schedule in range(self.request.schedules if self.request.card is None else 1):
            self.schedule = schedule
            result = self.last = self.execute(model, data, schedule)
            judged = self.broken(result) or self._judge(model, data, result, reference)
            if not judged.ok:
                break
        assert judged is not None
        return judged

    def _on_card(self, model: Model, auto: bool) -> bool:
        """Whether large data may stay on the card. A reference that the simulator makes needs it on the host."""
        if self.request.card is None or auto:
            return False
        from croqc.service.run_large import can_stay

        return can_stay(model)

    def _refused(self, data: RunData, auto: bool) -> RunReport | None:
        """The report of a run that does not start on the card."""
        if self.request.card is None:
            return None
        from croqc.service.run_card import refusal

        found = refusal(self.report, self.function, data, self.request.card, auto)
        return (
            None if found is None else replace(self.ended(found.verdict, found.message, found.place), offer=found.offer)
        )

    def _without_reference(self, model: Model, data: RunData) -> RunReport:
        """A run on the card of a program whose plain order is stuck: whether it hangs there, too."""
        self.last = result = self.execute(model, data, 0)
        reason = "it ended on the card, but its plain order is stuck in the simulator: there is nothing to compare with"
        return self.broken(result) or self.ended(Verdict.NOT_RUN, reason)

    def _judge(self, model: Model, data: RunData, result: EngineResult, reference: SimResult | None) -> RunReport:
        outcome = self._outcome(model, data, result)
        if outcome.problem:
            return self.ended(Verdict.NOT_RUN, outcome.problem, outcome.place)
        results = outcome.results
        self.notes += outcome.notes
        if reference is not None:
            results += auto_expectations(model, data, result, reference)
        if not all(item.ok for item in results):
            self.notes += dict.fromkeys(undefined_rests(model, data.dims))
            return self.ended(Verdict.WRONG, expectations=results)
        nothing = "" if results else "it writes no output, so there is nothing to compare"
        return self.ended(Verdict.VERIFIED if self.expects else Verdict.CONSISTENT, nothing, expectations=results)

    def _outcome(self, model: Model, data: RunData, result: EngineResult) -> Outcome:
        if self.request.card is None:
            return judge(model, data, result, self.expects, self.planned.sizes)
        from croqc.service.run_card import judged_run

        return judged_run(model, data, result, self.expects, self.planned.sizes)


def _plain(value: Size) -> Size:
    return value if isinstance(value, int) else float(value)
