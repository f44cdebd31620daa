"""The outline of a document (LSP `textDocument/documentSymbol`). Must not know LSP types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from croqc.sema.describe import describe
from croqc.sema.model import Symbol, SymbolKind
from croqc.service.check import FunctionReport
from croqc.syntax import ast
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot


class OutlineKind(Enum):
    FUNCTION = "function"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    EVENT = "event"
    MACRO = "macro"


@dataclass(frozen=True, slots=True)
class OutlineItem:
    """One entry; `span` is the whole thing, `name_span` the name inside it. Absolute."""

    name: str
    detail: str
    kind: OutlineKind
    span: Span
    name_span: Span
    children: tuple[OutlineItem, ...] = ()


_SHOWN = {
    SymbolKind.PARAM: OutlineKind.PARAMETER,
    SymbolKind.BUFFER: OutlineKind.BUFFER,
    SymbolKind.EVENT: OutlineKind.EVENT,
}


def outline(snapshot: Snapshot) -> tuple[OutlineItem, ...]:
    """Macros and functions in file order; below a function its parameters, buffers and events."""
    items = [
        OutlineItem(macro.name, macro.body, OutlineKind.MACRO, macro.span, macro.span)
        for macro in snapshot.report.tree.pre.macros
        if macro.span is not None
    ]
    items += [item for report in snapshot.report.functions for item in _function(report)]
    return tuple(sorted(items, key=lambda item: item.span))


def _function(report: FunctionReport) -> Iterator[OutlineItem]:
    tree = report.parsed.tree
    if tree is None:
        return
    whole = tree.span.shift(report.base)
    symbols = report.analysis.model.symbols if report.analysis else ()
    children = tuple(
        _child(symbol, report.base) for symbol in symbols if symbol.kind in _SHOWN and symbol.name_span.length
    )
    name = tree.name.id or "(unnamed)"
    yield OutlineItem(name, _signature(tree), OutlineKind.FUNCTION, whole, tree.name.span.shift(report.base), children)


def _signature(tree: ast.Function) -> str:
    return f"({', '.join(param.name.id if param.name else '_' for param in tree.params)})"


def _child(symbol: Symbol, base: int) -> OutlineItem:
    name = symbol.name_span.shift(base)
    whole = symbol.decl.span.shift(base).cover(name)
    return OutlineItem(symbol.name, describe(symbol.type), _SHOWN[symbol.kind], whole, name)
