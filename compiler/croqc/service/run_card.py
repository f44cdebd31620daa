"""What a run on a card needs beside the engine: whether it may start, what its report says. Must not judge results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from croqc.codegen.program import Program
from croqc.codegen.writer import Line
from croqc.engines.arguments import LaunchArgs, entry_sizes
from croqc.engines.base import EngineResult
from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.run import CardFailure, CardOptions, CardResult, run_on_card
from croqc.engines.sim.entry import check_entry, entered
from croqc.engines.sim.errors import SimError
from croqc.flow.analysis import CHECK_BUDGET
from croqc.flow.report import Strength
from croqc.flow.tables import verdict_text
from croqc.pipe.facts import whole_sizes
from croqc.runs.report import Verdict
from croqc.sema.model import Model
from croqc.service.check import FileReport, FunctionReport
from croqc.service.device_code import foreign_code
from croqc.service.flow_check import with_flow
from croqc.service.lowering import notes_of, program_for
from croqc.service.refused_cpp import absolute, refusal_of
from croqc.service.run_data import RunData
from croqc.service.run_large import brought_back, judged_outcome, large_run
from croqc.service.run_plan import CardRequest
from croqc.service.run_values import Size
from croqc.service.run_verdict import Outcome, judge
from croqc.syntax.directive_clauses import ExpectDirective
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import record
from croqc.text.span import Span

REFERENCE_ELEMENTS: Final = 1 << 22
"""The most elements of data for which the simulator makes the reference of a run without an expectation."""


@record
class Refusal:
    """Why a run does not start on the card; `place` is absolute. `offer` is "force" where that would start it."""

    verdict: Verdict
    message: str
    place: Span | None = None
    offer: str | None = None


def refusal(
    report: FileReport, function: FunctionReport, data: RunData, request: CardRequest, auto: bool
) -> Refusal | None:
    """What speaks against a run: a fault of the credit flow, a check at entry, a reference that takes too long."""
    assert function.analysis is not None
    model = function.analysis.model
    fault = None if request.force else flow_fault(report, function)
    if fault is not None:
        message = f"its credit flow has an error, and it may hang: {fault.message}"
        return Refusal(Verdict.NOT_RUN, message, fault.span.shift(function.base), "force")
    try:
        check_entry(model, entered(model), entry_sizes(model.function, launch_args(data, {})))
    except SimError as error:
        return Refusal(Verdict.CRASHED, error.message, error.span.shift(function.base))
    if auto and sum(array.size for array in data.arrays.values()) > REFERENCE_ELEMENTS:
        reason = "it has no expectation, and its data is too large for the simulator to make a reference"
        return Refusal(Verdict.NOT_RUN, f"{reason}; write '// croq: expect …' or use smaller sizes")
    return None


def flow_fault(report: FileReport, function: FunctionReport) -> Diagnostic | None:
    """The first error of a function's credit flow, relative to it."""
    flow = (_flows(report).flows or {}).get(function.analysis) if function.analysis else None
    found = flow.diagnostics if flow else ()
    return next((item for item in found if item.severity is Severity.ERROR), None)


def _flows(report: FileReport) -> FileReport:
    return report if report.flows is not None else with_flow(report, CHECK_BUDGET)


def launch_args(data: RunData, sizes: Mapping[str, Size]) -> LaunchArgs:
    """What a launch on the card is given."""
    whole = {name: value for name, value in whole_sizes(sizes).items() if name not in data.scalars}
    return LaunchArgs(data.arrays, data.scalars, {**whole, **data.dims})


def execute(
    report: FileReport,
    function: FunctionReport,
    data: RunData,
    sizes: Mapping[str, Size],
    request: CardRequest,
    card: Parent,
    expects: Sequence[ExpectDirective] = (),
) -> CardResult:
    """One run on the card. A hang is set against the static verdict. `expects`: what the card is to judge, of data that
    it makes itself."""
    assert function.analysis is not None
    model, args = function.analysis.model, launch_args(data, sizes)
    large = large_run(model, data, expects, sizes)
    values = {**args.dims, **args.scalars}
    options = CardOptions(
        report.target.name, request.timeout, request.report, request.rounds, request.cold, request.remeasure
    )
    notes: dict[str, None] = {}
    lines: list[Line] = []

    def lower(waits: bool) -> Program:
        program = program_for(report, function, model, values, waits)
        for item in notes_of(function, program):
            notes[f"line {report.source.line_of(item.span.start) + 1}: {item.message}"] = None
        lines[:] = lines_of(report, function, program)
        return program

    result = run_on_card(model, lower, args, card, options, large)
    result = replace(told_at_its_line(report, function, lines, result), notes=(*notes, *result.notes))
    if not result.hung:
        return result
    return replace(result, notes=(*result.notes, agreement(report, model)))


def lines_of(report: FileReport, function: FunctionReport, program: Program) -> tuple[Line, ...]:
    """Where the lines of generated code come from in the file, its C++ included."""
    return tuple(absolute(program.unit.lines, foreign_code(report).lines, function.base))


def told_at_its_line(
    report: FileReport, function: FunctionReport, lines: Sequence[Line], result: CardResult
) -> CardResult:
    """The result, where the compiler does not take C++ of the file, with words for its place."""
    if result.trouble is None or result.trouble.kind is not Kind.COMPILER:
        return result
    found = refusal_of(result.trouble.log, lines, [function])
    if found is None:
        return result
    trouble = Trouble(Kind.COMPILER, f"line {report.source.line_of(found.span.start) + 1}: {found.message}")
    return replace(result, trouble=trouble, error=CardFailure(trouble.line, unsupported=True))


def judged_run(
    model: Model,
    data: RunData,
    result: EngineResult,
    expects: Sequence[ExpectDirective],
    sizes: Mapping[str, Size],
) -> Outcome:
    """What is to be said of a result: the card's own words, where it judged it, else as of every engine."""
    if isinstance(result, CardResult):
        if result.judged is not None:
            return judged_outcome(model, result.judged, expects)
        data = brought_back(data, result)
    return judge(model, data, result, expects, sizes)


def agreement(report: FileReport, model: Model) -> str:
    """Whether the static verdict says that a kernel which hung may hang."""
    flows = [flow for analysis, flow in (_flows(report).flows or {}).items() if analysis.model is model]
    kernels = [kernel for flow in flows for kernel in flow.kernels]
    failing = next((kernel for kernel in kernels if kernel.strength is Strength.FAILS), None)
    if failing is not None:
        return f"the static verdict agrees: {verdict_text(failing)}"
    sure = next((kernel for kernel in kernels if kernel.strength in (Strength.PROVED, Strength.CHECKED)), None)
    if sure is not None and sure.events:
        return f"the static verdict does not agree ({verdict_text(sure)}); please report this kernel"
    return "there is no static verdict to set against it"


def figures(result: EngineResult | None) -> dict[str, Any]:
    """The fields of a report that a card fills."""
    if not isinstance(result, CardResult):
        return {}
    return {"time": result.time, "compile_time": result.compile_time, "timing": result.timing}
