"""The outline of a document (LSP `textDocument/documentSymbol`). Must not know LSP types."""

from __future__ import annotations

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
    found = map(outline_of, snapshot.report.functions)
    items = [*macros_of(snapshot), *(item for item in found if item is not None)]
    return tuple(sorted(items, key=lambda item: item.span))


def macros_of(snapshot: Snapshot) -> list[OutlineItem]:
    macros = snapshot.report.tree.pre.macros
    return [
        OutlineItem(one.name, one.body, OutlineKind.MACRO, one.span, one.span) for one in macros if one.span is not None
    ]


def outline_of(report: FunctionReport) -> OutlineItem | None:
    """A function with what is below it; None for one that cannot be read."""
    tree = report.parsed.tree
    if tree is None:
        return None
    whole = tree.span.shift(report.base)
    symbols = report.analysis.model.symbols if report.analysis else ()
    children = tuple(
        _child(symbol, report.base) for symbol in symbols if symbol.kind in _SHOWN and symbol.name_span.length
    )
    name = tree.name.id or "(unnamed)"
    return OutlineItem(name, _signature(tree), OutlineKind.FUNCTION, whole, tree.name.span.shift(report.base), children)


def _signature(tree: ast.Function) -> str:
    return f"({', '.join(param.name.id if param.name else '_' for param in tree.params)})"


def _child(symbol: Symbol, base: int) -> OutlineItem:
    name = symbol.name_span.shift(base)
    whole = symbol.decl.span.shift(base).cover(name)
    return OutlineItem(symbol.name, describe(symbol.type), _SHOWN[symbol.kind], whole, name)
