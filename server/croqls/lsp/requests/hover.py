"""`textDocument/hover`."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.hover import hover
from croqls.lsp.convert import offset_of, range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer


def text_document_hover(server: CroqtileServer, params: lsp.HoverParams) -> lsp.Hover | None:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    encoding = server.documents.encoding
    found = hover(snapshot, offset_of(snapshot.source, params.position, encoding), server.documents.pictures)
    if found is None:
        return None
    content = lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=found.markdown)
    return lsp.Hover(contents=content, range=range_of(snapshot.source, found.span, encoding))


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_HOVER, text_document_hover),)
