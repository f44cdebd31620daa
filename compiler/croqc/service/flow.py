"""The credit flow of a file, as `croq flow --json` prints it, version 1. Must not analyse (see `flow`) or draw.

The language server answers with the same. Lines and columns are 0-based, columns in UTF-16 units.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as File
from types import MappingProxyType

from croqc.flow.analysis import CHECK_BUDGET
from croqc.flow.example import at_sizes
from croqc.flow.landings import landed
from croqc.flow.paths import Path, enters
from croqc.flow.report import FlowFinding, KernelFlow, Strength
from croqc.flow.tables import failing_step, run_ahead, verdict_text
from croqc.rules.diagnose import tell_one
from croqc.rules.internal_error import RULE as INTERNAL_ERROR_RULE
from croqc.service.check import FileReport, FunctionFlow, FunctionReport, check_file, no_overload, subject_of
from croqc.service.check_result import FixEntry, Range, RelatedPlace, diagnostic_entry, range_of
from croqc.service.flow_check import finding_of, scope_of, with_flow
from croqc.service.flow_events import EventEntry, event_entry
from croqc.service.flow_run import LIMIT, Picture, StepEntry, picture, step_entry
from croqc.service.flow_sizes import shown_sizes
from croqc.service.settings import NO_SETTINGS, Settings
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.near import did_you_mean
from croqc.text.record import replace
from croqc.text.source import Source
from croqc.text.span import Span


class RequestError(Exception):
    """There is no function or size of the name that was asked for; the text names the near ones."""


@dataclass(frozen=True, slots=True)
class PathEntry:
    """`range`: its region, or the whole kernel. `ahead`: rounds that it may be ahead, on the credits of `aheadOn`."""

    name: str
    range: Range
    threads: int
    ahead: int
    aheadOn: str  # noqa: N815 (the names of the JSON fields)


@dataclass(frozen=True, slots=True)
class BufferEntry:
    """`slotBytes`: null where the extents follow sizes."""

    name: str
    slots: int
    shape: tuple[int, ...]
    slotBytes: int | None  # noqa: N815
    range: Range


@dataclass(frozen=True, slots=True)
class FlowFindingEntry:
    """A finding as `check` reports it, with the sizes that show it and the run that leads to it.

    `step`: the number of the step at which it goes wrong, if one can be named.
    """

    code: str
    severity: str
    message: str
    range: Range
    related: tuple[RelatedPlace, ...]
    fixes: tuple[FixEntry, ...]
    sizes: Mapping[str, int]
    steps: tuple[StepEntry, ...]
    step: int | None
    picture: Picture


@dataclass(frozen=True, slots=True)
class Line:
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class FlowEntry:
    """One kernel; or a function that was not analysed, then `reason` says why, at `place`. `overload` is the number of
    the function among those of its name.

    `strength` puts the verdict into words, `scope` what it leaves open. `steps` and `edges` show a small instance of
    the sizes `sizes`; `lines` are the source lines that steps, sites and findings stand in.
    """

    path: str
    function: str
    overload: int
    range: Range
    verdict: str
    tried: str
    strength: str
    scope: str
    reason: str
    place: Range | None
    sizes: Mapping[str, int]
    paths: tuple[PathEntry, ...]
    events: tuple[EventEntry, ...]
    buffers: tuple[BufferEntry, ...]
    steps: tuple[StepEntry, ...]
    edges: tuple[tuple[int, int], ...]
    picture: Picture
    findings: tuple[FlowFindingEntry, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class FlowResult:
    version: int
    flows: tuple[FlowEntry, ...]


def flow_of_file(
    path: File,
    entry: str | None = None,
    flags: Settings = NO_SETTINGS,
    look: Callable[[FileReport], None] = lambda _: None,
) -> FlowResult:
    """As `flow_result`, for a file. `-D` names that are sizes of its kernels choose the run that is shown.

    `look` is shown the checked file first, for what is to be said of it beside its flow.
    Raises FileError, SettingsError, and RequestError for an unknown `entry` or a `-D` that is neither size nor macro.
    """
    report = check_file(path, replace(flags, defines={}))
    if not flags.defines:
        look(report)
        return flow_result(report, entry)
    from croqc.service.run_plan import PlanError, split_defines  # here, since it loads NumPy

    try:
        macros, sizes = split_defines(report, entry, flags.defines)
    except PlanError as error:
        raise RequestError(str(error)) from None
    if macros:
        report = check_file(path, replace(flags, defines=macros))
    look(report)
    whole = {name: value for name, value in sizes.items() if isinstance(value, int) and not isinstance(value, bool)}
    return flow_result(report, entry, whole)


def flow_result(
    report: FileReport,
    entry: str | None = None,
    sizes: Mapping[str, int] = MappingProxyType({}),
    budget: int = CHECK_BUDGET,
    overload: int | None = None,
) -> FlowResult:
    """The credit flow of every kernel of a file, in order, or of those of the functions that are asked for. Raises
    RequestError where there is none such."""
    chosen = report.functions if entry is None else _asked(report, entry, overload)
    known = (report if report.flows is not None else with_flow(report, budget)).flows or {}
    flows: list[FlowEntry] = []
    for function in chosen:
        found = known.get(function.analysis) if function.analysis else None
        flows += _flows(report.source, function, found, sizes, report.overloads[function.base])
    return FlowResult(1, tuple(flows))


def _asked(report: FileReport, entry: str, overload: int | None) -> Sequence[FunctionReport]:
    """Those of a name, or the one among them of that number."""
    found = [function for function in report.functions if function.name == entry]
    if not found:
        hint = did_you_mean(entry, [function.name for function in report.functions if function.name])
        raise RequestError(f"{report.source.path}: there is no function '{entry}'; {hint}".rstrip("; "))
    if overload is None:
        return found
    if not 0 <= overload < len(found):
        raise RequestError(f"{report.source.path}: {no_overload(entry, overload)}")
    return [found[overload]]


def _flows(
    source: Source, function: FunctionReport, found: FunctionFlow | None, sizes: Mapping[str, int], overload: int
) -> Iterator[FlowEntry]:
    if found is None or function.analysis is None:
        mistakes = [item for item in function.diagnostics if item.severity is Severity.ERROR][:1]
        read = function.parsed.tree is not None
        why = f"has errors: {mistakes[0].message}" if mistakes and read else "does not parse"
        yield _unanalysed(source, function, f"the function {why}", mistakes, overload)
        return
    failed = [item for item in found.diagnostics if item.code == INTERNAL_ERROR_RULE.name][:1]
    if not found.kernels and failed:
        yield _unanalysed(source, function, failed[0].message, failed, overload)
        return
    model = function.analysis.model
    for flow in found.kernels:
        shown = at_sizes(model, flow, shown_sizes(model, flow, sizes))
        yield flow_entry(source, function, shown, found.diagnostics, overload)


def _whole(function: FunctionReport) -> Span:
    return Span(function.base, function.base + len(function.parsed.source.text))


def _unanalysed(
    source: Source, function: FunctionReport, reason: str, mistakes: Sequence[Diagnostic], overload: int
) -> FlowEntry:
    place = next((range_of(source, item.span.shift(function.base)) for item in mistakes), None)
    return FlowEntry(
        path=source.path,
        function=function.name,
        overload=overload,
        range=range_of(source, _whole(function)),
        verdict=Strength.UNKNOWN.value,
        tried="",
        strength=f"credit flow not analysed: {reason}",
        scope="",
        reason=reason,
        place=place,
        sizes={},
        paths=(),
        events=(),
        buffers=(),
        steps=(),
        edges=(),
        picture=picture((), (), ()),
        findings=(),
        lines=_lines(source, [place] if place else []),
    )


def flow_entry(
    source: Source, function: FunctionReport, flow: KernelFlow, told: Sequence[Diagnostic] = (), overload: int = 0
) -> FlowEntry:
    """One analysed kernel with absolute places. `told`: what is said of the function, with fixes that are tried out."""
    base = function.base
    flow = _beginning(landed(flow))
    events = tuple(event_entry(flow, event, source, base) for event in flow.events)
    steps = tuple(step_entry(step, source, base) for step in flow.steps)
    findings = tuple(_finding(source, function, flow, item, told) for item in flow.findings)
    place = range_of(source, flow.place.shift(base)) if flow.place else None
    used = [step.range for step in steps]
    used += [step.range for item in findings for step in item.steps]
    used += [item.range for item in findings] + [event.range for event in events] + ([place] if place else [])
    return FlowEntry(
        path=source.path,
        function=function.name,
        overload=overload,
        range=range_of(source, _whole(function)),
        verdict=flow.strength.value,
        tried=flow.tried,
        strength=verdict_text(flow),
        scope=scope_of(function, flow),
        reason=flow.reason,
        place=place,
        sizes=dict(flow.sizes),
        paths=tuple(_path(source, base, flow, path) for path in flow.paths),
        events=events,
        buffers=tuple(
            BufferEntry(item.name, item.slots, item.shape, item.slot_bytes, range_of(source, item.span.shift(base)))
            for item in flow.buffers
        ),
        steps=steps,
        edges=flow.edges,
        picture=picture(flow.steps, flow.edges, flow.events),
        findings=findings,
        lines=_lines(source, used),
    )


def _beginning(flow: KernelFlow) -> KernelFlow:
    """The same with no more of its small run than is drawn."""
    edges = tuple((a, b) for a, b in flow.edges if max(a, b) < LIMIT)
    return dataclasses.replace(flow, steps=flow.steps[:LIMIT], edges=edges) if len(flow.steps) > LIMIT else flow


def _path(source: Source, base: int, flow: KernelFlow, path: Path) -> PathEntry:
    region = next(
        (node for node in walk(flow.kernel.node) if isinstance(node, ast.InThreads) and enters(path, node)), None
    )
    place = (region or flow.kernel.node).span.shift(base)
    ahead, event = run_ahead(flow, path.name)
    return PathEntry(path.name, range_of(source, place), path.thread_count, ahead, event)


def _finding(
    source: Source, function: FunctionReport, flow: KernelFlow, item: FlowFinding, known: Sequence[Diagnostic]
) -> FlowFindingEntry:
    fixes = next((one.fixes for one in known if (one.code, one.span) == (item.rule, item.span)), ())
    told = diagnostic_entry(source, _told(source, function, item).with_fixes(fixes).shift(function.base))
    failing, skipped = failing_step(item), max(len(item.steps) - LIMIT, 0)
    return FlowFindingEntry(
        code=told.code,
        severity=told.severity,
        message=told.message,
        range=told.range,
        related=told.related,
        fixes=told.fixes,
        sizes=dict(item.sizes),
        steps=tuple(step_entry(step, source, function.base) for step in item.steps[-LIMIT:]),
        step=None if failing is None or failing < skipped else failing - skipped,
        picture=picture(item.steps, (), flow.events),
    )


def _told(source: Source, function: FunctionReport, item: FlowFinding) -> Diagnostic:
    """The finding in the words of its rule."""
    assert function.analysis is not None
    return tell_one(finding_of(item), subject_of(function.parsed, function.analysis, source))


def _lines(source: Source, places: Iterable[Range]) -> tuple[Line, ...]:
    """The lines that the places begin in, each once, in order."""
    return tuple(Line(number, source.line_text(number)) for number in sorted({one.start.line for one in places}))
