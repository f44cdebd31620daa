"""`textDocument/inlayHint`."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqc.text.span import Span
from croqls.ide.inlay_hints import HintKind
from croqls.lsp.convert import offset_of, position
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer


def text_document_inlay_hint(server: CroqtileServer, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    documents = server.documents
    snapshot = documents.get(params.text_document.uri)
    if snapshot is None:
        return []
    start = offset_of(snapshot.source, params.range.start, documents.encoding)
    end = offset_of(snapshot.source, params.range.end, documents.encoding)
    return [
        lsp.InlayHint(
            position=position(snapshot.source, hint.offset, documents.encoding),
            label=hint.label.strip(),
            kind=lsp.InlayHintKind.Type if hint.kind is HintKind.TYPES else None,
            tooltip=hint.tooltip or None,
            padding_left=hint.label.startswith(" ") or None,
        )
        for hint in documents.hints_of(snapshot, Span(start, max(start, end)))
    ]


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_INLAY_HINT, text_document_inlay_hint),)
