"""`textDocument/documentHighlight`. What the credit flow puts together comes from the verdict process; where it is
late, what is known without it is lit."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from croqls.ide.highlights import Highlight, flow_highlights, highlights, needs_flow, plain_highlights
from croqls.lsp.convert import range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.requests.place import Place, is_present, place_of
from croqls.lsp.server import CroqtileServer


async def document_highlight(
    server: CroqtileServer, params: lsp.DocumentHighlightParams
) -> list[lsp.DocumentHighlight]:
    place = place_of(server, params)
    if place is None:
        return []
    found = await _found(server, place)
    if not is_present(server, place.snapshot):
        return []
    kind = lsp.DocumentHighlightKind
    source, encoding = place.snapshot.source, server.documents.encoding
    return [
        lsp.DocumentHighlight(range_of(source, item.span, encoding), kind.Write if item.writes else kind.Read)
        for item in found
    ]


async def _found(server: CroqtileServer, place: Place) -> tuple[Highlight, ...]:
    if needs_flow(*place):
        reply = await server.flow.ask(place.snapshot, place.offset, partial(flow_highlights, offset=place.offset))
        return plain_highlights(*place) if reply.failed else tuple(reply.answer)
    return highlights(*place)


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, document_highlight),)
