"""`textDocument/documentSymbol`: a tree, or a list for clients that show no trees (LSP 3.17)."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from croqc.text.source import Encoding, Source
from croqls.ide.snapshot import Snapshot
from croqls.ide.symbols import OutlineItem, OutlineKind, macros_of, outline_of
from croqls.lsp.convert import range_of
from croqls.lsp.documents import key_of
from croqls.lsp.outlines import Outlines
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

_KINDS = {
    OutlineKind.FUNCTION: lsp.SymbolKind.Function,
    OutlineKind.PARAMETER: lsp.SymbolKind.Variable,
    OutlineKind.BUFFER: lsp.SymbolKind.Array,
    OutlineKind.EVENT: lsp.SymbolKind.Event,
    OutlineKind.MACRO: lsp.SymbolKind.Constant,
}


def _symbol(item: OutlineItem, source: Source, encoding: Encoding) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        name=item.name,
        detail=item.detail,
        kind=_KINDS[item.kind],
        range=range_of(source, item.span, encoding),
        selection_range=range_of(source, item.name_span, encoding),
        children=[_symbol(child, source, encoding) for child in item.children],
    )


def text_document_symbol(
    server: CroqtileServer, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation]:
    uri = params.text_document.uri
    snapshot = server.documents.get(uri)
    if snapshot is None:
        return []
    found = _symbols(server, snapshot)
    document = server.client_capabilities.text_document
    known = document.document_symbol if document else None
    if known is not None and known.hierarchical_document_symbol_support is False:
        return [flat for item in found for flat in _flat(item, uri, None)]
    return found


def _symbols(server: CroqtileServer, snapshot: Snapshot) -> list[lsp.DocumentSymbol]:
    """In file order. Those of a function that did not change and stands where it stood are kept: of a long text they
    are thousands. With a glance a function is known by its text."""
    source, encoding, key = snapshot.source, server.documents.encoding, key_of(snapshot.uri)
    known, new = server.outlines.get(key, {}), Outlines()
    written = {(text, at): one for (_, at), (one, text) in known.items()} if snapshot.is_lent else {}
    found = [_symbol(item, source, encoding) for item in macros_of(snapshot)]
    for report in snapshot.report.functions:
        text, place = report.parsed.source.text, (report.analysis, source.position(report.base, encoding))
        symbol = known[place][0] if place in known else written.get((text, place[1]))
        if symbol is None and (item := outline_of(report)) is not None:
            symbol = _symbol(item, source, encoding)
        if symbol is not None:
            found.append(symbol)
            if report.analysis is not None:
                new[place] = symbol, text
    if not snapshot.is_lent:  # else some are those of another version
        server.outlines[key] = new
    return sorted(found, key=_place)


def _place(symbol: lsp.DocumentSymbol) -> tuple[int, ...]:
    start, end = symbol.range.start, symbol.range.end
    return start.line, start.character, end.line, end.character


def _flat(item: lsp.DocumentSymbol, uri: str, container: str | None) -> Iterator[lsp.SymbolInformation]:
    yield lsp.SymbolInformation(
        name=item.name, kind=item.kind, location=lsp.Location(uri=uri, range=item.range), container_name=container
    )
    for child in item.children or ():
        yield from _flat(child, uri, item.name)


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, text_document_symbol),)
