"""`textDocument/foldingRange`: whole lines, as every client understands them."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.folding import FoldKind, folds
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

_KINDS = {FoldKind.COMMENT: lsp.FoldingRangeKind.Comment, FoldKind.IMPORTS: lsp.FoldingRangeKind.Imports}


def text_document_folding_range(server: CroqtileServer, params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    """As many as the client takes, in the order of the text."""
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    document = server.client_capabilities.text_document
    able = document.folding_range if document else None
    limit = able.range_limit if able and able.range_limit is not None else None
    return [
        lsp.FoldingRange(start_line=fold.first, end_line=fold.last, kind=_KINDS.get(fold.kind))
        for fold in folds(snapshot)[:limit]
    ]


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_FOLDING_RANGE, text_document_folding_range),)
