"""`textDocument/selectionRange`: for each place a chain from the word to the whole file."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.selection import selections
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import offset_of, range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer


def text_document_selection_range(
    server: CroqtileServer, params: lsp.SelectionRangeParams
) -> list[lsp.SelectionRange] | None:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    return [_chain(server, snapshot, place) for place in params.positions]


def _chain(server: CroqtileServer, snapshot: Snapshot, place: lsp.Position) -> lsp.SelectionRange:
    encoding = server.documents.encoding
    spans = selections(snapshot, offset_of(snapshot.source, place, encoding))
    chain: lsp.SelectionRange | None = None
    for span in reversed(spans):
        chain = lsp.SelectionRange(range=range_of(snapshot.source, span, encoding), parent=chain)
    assert chain is not None
    return chain


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_SELECTION_RANGE, text_document_selection_range),)
