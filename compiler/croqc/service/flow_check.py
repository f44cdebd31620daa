"""Add the credit-flow verdicts to a checked file, with fixes that are tried out. Must not analyse or word them (see
`flow` and `rules`).

A function with errors is not analysed. Verdicts of functions that did not change are taken over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from croqc.flow.analysis import TYPING_BUDGET, analyze_flow
from croqc.flow.report import FlowFinding, KernelFlow, Strength
from croqc.flow.tables import verdict_text
from croqc.rules.diagnose import in_order, tell
from croqc.rules.internal_error import internal_error
from croqc.sema.model import Analysis, Finding
from croqc.service.check import FileReport, FunctionFlow, FunctionReport, subject_of
from croqc.service.fix_trials import Told, UntriedError, only_mending
from croqc.service.safe_trials import with_tried_fixes
from croqc.service.sole_trials import with_sole_ways
from croqc.text.diagnostics import Severity
from croqc.text.record import replace

NOT_ANALYSED = "not-analysed"
_SOME_SIZES = ("assumed-divisible", "assumed-size")  # notes that indices stay inside at some sizes only


def finding_of(item: FlowFinding) -> Finding:
    """A flow finding as its rule takes it: with the sizes that show it."""
    return Finding(item.rule, item.span, {**item.args, "sizes": item.sizes}, item.related)


def _findings(flow: KernelFlow) -> list[Finding]:
    found = [finding_of(item) for item in flow.findings]
    if flow.strength is Strength.UNKNOWN and flow.place is not None:
        found.append(Finding(NOT_ANALYSED, flow.place, {"reason": flow.reason}))
    found += [Finding(NOT_ANALYSED, note.span, {"empty": True, "function": note.function}) for note in flow.notes]
    return found


def _told(report: FileReport, number: int, budget: int) -> Told | None:
    """The kernels of a function with what is said of each; None for a function with errors."""
    function = report.functions[number]
    if function.analysis is None or not function.sound:
        return None
    subject = subject_of(function.parsed, function.analysis, report.source)
    kernels = analyze_flow(function.analysis.model, budget)
    return tuple((flow, tell(_findings(flow), subject)) for flow in kernels)


def _spent(told: Told | None) -> int:
    return sum(flow.spent for flow, _ in told or ())


class _Trial:
    """As `_told`, of texts that are only tried: most fail soon, and do not need the whole effort. What the verdict left
    of the budget is for all of them that do."""

    def __init__(self, told: Told, budget: int) -> None:
        self.budget, self.took = budget, _spent(told)  # fewer steps than the finding took do not show that it is gone
        self.left = budget - self.took

    def __call__(self, report: FileReport, number: int) -> Told | None:
        first = min(self.budget, TYPING_BUDGET)
        told = _told(report, number, first)
        strengths = {flow.strength for flow, _ in told or ()}
        if told is None or Strength.FAILS in strengths or strengths <= {Strength.PROVED}:
            return told
        again = self.left - _spent(told)
        if _spent(told) >= first and max(again, first) < self.took:
            raise UntriedError
        if again > first:
            told = _told(report, number, again)
            self.left = again - _spent(told)
        return told


def _is_clean(report: FileReport, number: int) -> bool:
    """Whether nothing is wrong with a function of a text that is only tried."""
    function = report.functions[number]
    told = _told(report, number, TYPING_BUDGET)
    said = [*function.diagnostics, *(item for _, found in told or () for item in found)]
    return told is not None and all(item.severity not in (Severity.ERROR, Severity.WARNING) for item in said)


def _function_flow(
    report: FileReport, number: int, analysis: Analysis, budget: int, fixes: bool
) -> FunctionFlow | None:
    place = analysis.model.function.name.span
    try:
        told = _told(report, number, budget)
    except Exception as error:  # the function stays without a verdict
        return FunctionFlow((), (internal_error("the credit-flow analysis", error, place, Severity.WARNING),))
    if told is None:
        return None
    found = [item.with_fixes(()) for _, said in told for item in said]
    try:
        if not fixes:
            return FunctionFlow(tuple(flow for flow, _ in told), in_order(found))
        tried = only_mending(report, number, told, _Trial(told, budget))
        found = [item for _, said in tried for item in said]
    except Exception as error:  # the findings stay without fixes
        found.append(internal_error("the trial of fixes", error, place, Severity.WARNING))
    return FunctionFlow(tuple(flow for flow, _ in told), in_order(found))


def with_flow(file: FileReport, budget: int, previous: FileReport | None = None, fixes: bool = True) -> FileReport:
    """The report with the flow of every sound function, and with the fixes of its other findings tried out. Without
    `fixes`, which cost more than the verdict, neither is done and the findings of the flow have none."""
    return with_verdicts(with_tried_fixes(with_sole_ways(file, _is_clean)) if fixes else file, budget, previous, fixes)


def with_verdicts(
    file: FileReport,
    budget: int,
    previous: FileReport | None = None,
    fixes: bool = True,
    wanted: Callable[[FunctionReport], bool] = lambda _: True,
    between: Callable[[], None] = lambda: None,
) -> FileReport:
    """The report with the flow of every sound function that is `wanted`; its other findings are as they were. `budget`
    bounds the effort in abstract steps (section 5). `between` is called before each function: it may take long."""
    known = (previous.flows if previous else None) or {}
    flows = {}
    for number, function in enumerate(file.functions):
        if function.analysis is not None and wanted(function):
            between()
            flow = known.get(function.analysis) or _function_flow(file, number, function.analysis, budget, fixes)
            if flow is not None:
                flows[function.analysis] = flow
    told = tuple(
        item.shift(function.base)
        for function in file.functions
        if function.analysis in flows
        for item in flows[function.analysis].diagnostics
    )
    return replace(file, flows=flows, flow_found=told)


def scope_of(function: FunctionReport, flow: KernelFlow) -> str:
    """What a verdict leaves open: empty, or that nothing of indices follows from it, where a note says that they stay
    inside at some sizes only."""
    told = {item.code for item in function.diagnostics}
    noted = [f"'{name}'" for name in _SOME_SIZES if name in told]
    holds = flow.strength in (Strength.PROVED, Strength.CHECKED)
    return f"of the order alone, for indices see {' and '.join(noted)}" if noted and holds else ""


def verdict_of(function: FunctionReport, flow: KernelFlow) -> str:
    """The verdict on a kernel in words, with what it leaves open."""
    return "; ".join(filter(None, (verdict_text(flow), scope_of(function, flow))))


def words_of(reports: Sequence[FileReport]) -> frozenset[str]:
    """The verdicts on all kernels: "proved", "checked", "fails", "unknown"."""
    flows = (flow for report in reports for flow in (report.flows or {}).values())
    return frozenset(kernel.strength.value for flow in flows for kernel in flow.kernels)


def verdict_lines(report: FileReport) -> tuple[str, ...]:
    """A line a kernel: `k.co: matmul: credit flow proved for every K`."""
    lines = []
    for function in report.functions:
        flow = (report.flows or {}).get(function.analysis) if function.analysis else None
        for kernel in flow.kernels if flow else ():
            lines.append(f"{report.source.path}: {function.name}: {verdict_of(function, kernel)}")
    return tuple(lines)
