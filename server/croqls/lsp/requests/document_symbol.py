"""`textDocument/documentSymbol`."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqc.text.source import Encoding, Source
from croqls.ide.symbols import OutlineItem, OutlineKind, outline
from croqls.lsp.convert import range_of
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


def text_document_symbol(server: CroqtileServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    return [_symbol(item, snapshot.source, server.documents.encoding) for item in outline(snapshot)]


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, text_document_symbol),)
