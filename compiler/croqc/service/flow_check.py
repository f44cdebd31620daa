"""Add the credit-flow verdicts to a checked file. Must not analyse or word them (see `flow` and `rules`).

A function with errors is not analysed. Verdicts of functions that did not change are taken over.
"""

from __future__ import annotations

from croqc.flow.analysis import analyze_flow
from croqc.flow.report import FlowFinding, KernelFlow, Strength
from croqc.flow.tables import verdict_text
from croqc.rules.diagnose import tell
from croqc.rules.internal_error import internal_error
from croqc.sema.model import Analysis, Finding
from croqc.service.check import FileReport, FunctionFlow, FunctionReport, subject_of
from croqc.text.diagnostics import Severity
from croqc.text.record import replace
from croqc.text.source import Source

NOT_ANALYSED = "not-analysed"


def sound(function: FunctionReport) -> bool:
    """Whether a function has no error, so that its flow can be analysed."""
    return function.analysis is not None and all(item.severity is not Severity.ERROR for item in function.diagnostics)


def finding_of(item: FlowFinding) -> Finding:
    """A flow finding as its rule takes it: with the sizes that show it."""
    return Finding(item.rule, item.span, {**item.args, "sizes": item.sizes}, item.related)


def _findings(flow: KernelFlow) -> list[Finding]:
    found = [finding_of(item) for item in flow.findings]
    if flow.strength is Strength.UNKNOWN and flow.place is not None:
        found.append(Finding(NOT_ANALYSED, flow.place, {"reason": flow.reason}))
    found += [Finding(NOT_ANALYSED, place, {"reason": reason}) for place, reason in flow.notes]
    return found


def _function_flow(function: FunctionReport, analysis: Analysis, source: Source, budget: int) -> FunctionFlow:
    try:
        kernels = analyze_flow(analysis.model, budget)
    except Exception as error:  # the function stays without a verdict
        name = analysis.model.function.name.span
        return FunctionFlow((), (internal_error("the credit-flow analysis", error, name, Severity.WARNING),))
    findings = [item for flow in kernels for item in _findings(flow)]
    return FunctionFlow(kernels, tell(findings, subject_of(function.parsed, analysis, source)))


def with_flow(file: FileReport, budget: int, previous: FileReport | None = None) -> FileReport:
    """The report with the flow of every sound function. `budget` bounds the effort in abstract steps (section 5)."""
    known = (previous.flows if previous else None) or {}
    flows = {
        function.analysis: known.get(function.analysis)
        or _function_flow(function, function.analysis, file.source, budget)
        for function in file.functions
        if function.analysis is not None and sound(function)
    }
    told = tuple(
        item.shift(function.base)
        for function in file.functions
        if function.analysis in flows
        for item in flows[function.analysis].diagnostics
    )
    return replace(file, flows=flows, flow_found=told)


def verdict_lines(report: FileReport) -> tuple[str, ...]:
    """A line a kernel that has events: `k.co: matmul: credit flow proved for every K`."""
    lines = []
    for function in report.functions:
        flow = (report.flows or {}).get(function.analysis) if function.analysis else None
        for kernel in flow.kernels if flow else ():
            if kernel.events:
                lines.append(f"{report.source.path}: {function.name}: {verdict_text(kernel)}")
    return tuple(lines)
