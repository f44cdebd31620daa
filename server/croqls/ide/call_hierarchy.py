"""Who gives a credit and who takes it, who calls a function (LSP `callHierarchy`). Must not know LSP types.

An event is called by the paths that trigger it and calls those that wait for it; a path is called by the events that it
waits for and calls those that it triggers. So one goes round the ring of a pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from croqc.flow.paths import Path
from croqc.flow.report import EventFacts, KernelFlow
from croqc.sema.describe import describe
from croqc.sema.model import Symbol, SymbolKind
from croqc.service.check import FunctionReport
from croqc.syntax import ast
from croqc.text.span import Span
from croqls.ide.device_functions import device_definition, device_words, signature_at
from croqls.ide.highlights import statement_at
from croqls.ide.names import NameKind, calls, named_at
from croqls.ide.snapshot import Snapshot


class HierarchyKind(Enum):
    FUNCTION = "function"
    DEVICE = "device function"
    EVENT = "event"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class HierarchyItem:
    """`owner` is the `__co__` function that an event or a path belongs to. Spans are absolute."""

    kind: HierarchyKind
    name: str
    detail: str
    span: Span
    name_span: Span
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Calls:
    """The other end, and the absolute places where it happens."""

    item: HierarchyItem
    places: tuple[Span, ...]


Find = Callable[[Snapshot, HierarchyItem], tuple[Calls, ...]]
"""`incoming` or `outgoing`."""


def calls_of(find: Find, item: HierarchyItem, snapshot: Snapshot) -> tuple[Calls, ...]:
    """The same with the snapshot last, as the verdict process is asked."""
    return find(snapshot, item)


def hierarchy_at(snapshot: Snapshot, offset: int) -> tuple[HierarchyItem, ...]:
    """The events or the function that the place names; `wait` and `trigger` name those behind them."""
    function = snapshot.function_at(offset)
    node = statement_at(function, offset) if function is not None else None
    if function is not None and function.analysis is not None and isinstance(node, ast.Wait | ast.Trigger):
        model = function.analysis.model
        named = [model.uses.get(name) for ref in node.refs if (name := _first_name(ref)) is not None]
        events = dict.fromkeys(one for one in named if one is not None and one.kind is SymbolKind.EVENT)
        return tuple(_event(function, symbol) for symbol in events)
    tree = function.parsed.tree if function is not None else None
    if function is not None and tree is not None and tree.name.id and tree.name.span.touches(offset - function.base):
        return (_of_report(function),)  # itself, not the first one of its name
    found = named_at(snapshot, offset)
    if found is None:
        return ()
    if found.symbol is not None and found.function is not None and found.symbol.kind is SymbolKind.EVENT:
        return (_event(found.function, found.symbol),)
    item = _function(snapshot, found.name) if found.kind in (NameKind.FUNCTION, NameKind.DEVICE) else None
    return (item,) if item is not None else ()


def incoming(snapshot: Snapshot, item: HierarchyItem) -> tuple[Calls, ...]:
    """Who gives; for functions who calls. Events and paths need a report with verdicts."""
    if item.kind is HierarchyKind.EVENT:
        return _paths(snapshot, item, _given)
    if item.kind is HierarchyKind.PATH:
        return _events(snapshot, item, lambda event: event.waited_by)
    return tuple(
        Calls(_of_report(report), places)
        for report in snapshot.report.functions
        if (places := tuple(c.callee_span.shift(report.base) for c in calls(report) if c.callee == item.name))
    )


def outgoing(snapshot: Snapshot, item: HierarchyItem) -> tuple[Calls, ...]:
    """Who takes; for functions what is called."""
    if item.kind is HierarchyKind.EVENT:
        return _paths(snapshot, item, lambda event: event.waited_by)
    if item.kind is HierarchyKind.PATH:
        return _events(snapshot, item, _given)
    report = _report_at(snapshot, item.name_span, item.name)
    found: dict[str, list[Span]] = {}
    for call in calls(report) if report is not None else ():
        assert report is not None
        found.setdefault(call.callee, []).append(call.callee_span.shift(report.base))
    callees = ((_function(snapshot, name), places) for name, places in found.items())
    return tuple(Calls(callee, tuple(places)) for callee, places in callees if callee is not None)


Sites = Iterable[tuple[str, Span]]


def _given(event: EventFacts) -> Sites:
    """Who gives credits of an event; those at start that no path is named for come from the block."""
    known = {span for _, span in event.triggered_by}
    return (*event.triggered_by, *(("the block", span) for span in event.granted_by if span not in known))


def _report_at(snapshot: Snapshot, place: Span, name: str) -> FunctionReport | None:
    """The function of a name that stands at a place; the first of that name where the text has changed since."""
    here = snapshot.function_at(place.start)
    return here if here is not None and here.name == name else snapshot.report.function_named(name)


def _flows(snapshot: Snapshot, item: HierarchyItem) -> Iterator[tuple[FunctionReport, KernelFlow]]:
    report = _report_at(snapshot, item.name_span, item.owner)
    known = (snapshot.report.flows or {}).get(report.analysis) if report is not None and report.analysis else None
    if report is not None and known is not None:
        yield from ((report, flow) for flow in known.kernels)


def _paths(snapshot: Snapshot, item: HierarchyItem, sites: Callable[[EventFacts], Sites]) -> tuple[Calls, ...]:
    found = []
    for report, flow in _flows(snapshot, item):
        for event in flow.events:
            if event.symbol.name_span.shift(report.base) != item.name_span:
                continue
            places: dict[str, list[Span]] = {}
            for path, span in sites(event):
                places.setdefault(path, []).append(span.shift(report.base))
            found += [Calls(_path(report, flow, name), tuple(sorted(set(at)))) for name, at in places.items()]
    return tuple(found)


def _events(snapshot: Snapshot, item: HierarchyItem, sites: Callable[[EventFacts], Sites]) -> tuple[Calls, ...]:
    found = []
    for report, flow in _flows(snapshot, item):
        if flow.kernel.node.span.shift(report.base).contains(item.span.start):
            for event in flow.events:
                at = tuple(sorted({span.shift(report.base) for path, span in sites(event) if path == item.name}))
                found += [Calls(_event(report, event.symbol), at)] if at else []
    return tuple(found)


def _first_name(ref: ast.Expr) -> ast.Name | None:
    base = ref.base if isinstance(ref, ast.Chain) else ref
    return base if isinstance(base, ast.Name) else None


def _event(report: FunctionReport, symbol: Symbol) -> HierarchyItem:
    name = symbol.name_span.shift(report.base)
    whole = symbol.decl.span.shift(report.base).cover(name)
    return HierarchyItem(HierarchyKind.EVENT, symbol.name, describe(symbol.type), whole, name, report.name)


def _path(report: FunctionReport, flow: KernelFlow, name: str) -> HierarchyItem:
    """A path stands where its region does, or the kernel."""
    path = next((one for one in flow.paths if one.name == name), None)
    region = _region(path) if path is not None else None
    node: ast.Node = region if region is not None else flow.kernel.node
    whole = node.span.shift(report.base)
    head = Span(node.span.start, region.body.span.start if region else flow.kernel.node.body.span.start)
    threads = f"{path.thread_count} threads" if path is not None and path.thread_count else ""
    head = Span(head.start, head.start + len(report.parsed.source.text[head.start : head.end].rstrip()))
    return HierarchyItem(HierarchyKind.PATH, name, threads, whole, head.shift(report.base), report.name)


def _region(path: Path) -> ast.InThreads | None:
    """The first region that the path enters."""
    entered = [node for node, enters in path.regions.items() if enters]
    return min(entered, key=lambda node: node.span.start, default=None)


def _of_report(report: FunctionReport) -> HierarchyItem:
    tree = report.parsed.tree
    assert tree is not None
    whole, name = tree.span.shift(report.base), tree.name.span.shift(report.base)
    return HierarchyItem(HierarchyKind.FUNCTION, tree.name.id, "__co__ function", whole, name)


def _function(snapshot: Snapshot, name: str) -> HierarchyItem | None:
    report = snapshot.report.function_named(name)
    if report is not None and report.parsed.tree is not None:
        return _of_report(report)
    place = device_definition(snapshot, name) or next(device_words(snapshot, name), None)
    if place is None:
        return None
    return HierarchyItem(HierarchyKind.DEVICE, name, signature_at(snapshot, place), place, place)
