"""Where the credit flow of a function fails, in a line, for commands that go on all the same. Must not analyse."""

from __future__ import annotations

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import FlowFinding, Strength
from croqc.rules.table import FLOW_RULES
from croqc.service.check import FileReport, FunctionReport
from croqc.service.flow_check import with_flow
from croqc.text.diagnostics import Severity


def with_verdicts(report: FileReport) -> FileReport:
    """The report with its flow; verdicts that are not there yet take the effort of typing, and no fixes."""
    return report if report.flows is not None else with_flow(report, TYPING_BUDGET, fixes=False)


def flow_failure(report: FileReport, function: FunctionReport) -> str | None:
    """`credit flow fails for K = 1: k.co:40 [credit-deadlock]`; None where it does not, or nobody is to hear of it."""
    flowing = with_verdicts(report)
    flow = (flowing.flows or {}).get(function.analysis) if function.analysis else None
    for kernel in flow.kernels if flow else ():
        for found in kernel.findings if kernel.strength is Strength.FAILS else ():
            place = found.span.shift(function.base)
            said = any(
                item.code == found.rule and item.span == place and item.severity is Severity.ERROR
                for item in flowing.diagnostics
            )
            if found.rule in FLOW_RULES and said:
                line = report.source.position(place.start).line + 1
                return f"credit flow fails{_sizes(found)}: {report.source.path}:{line} [{found.rule}]"
    return None


def _sizes(found: FlowFinding) -> str:
    parts = [f"{name} = {value}" for name, value in found.sizes.items()]
    return f" for {', '.join(parts)}" if parts else ""
