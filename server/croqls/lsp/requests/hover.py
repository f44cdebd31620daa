"""`textDocument/hover`. What is said of the credit flow comes from the verdict process: the loop never waits for it.

Where it is late the hover says so, and what is known without it.
"""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from croqls.ide.hover import Hover, hover, needs_flow
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import offset_of, range_of
from croqls.lsp.markup import markup
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer


async def text_document_hover(server: CroqtileServer, params: lsp.HoverParams) -> lsp.Hover | None:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    encoding = server.documents.encoding
    found = await _hover(server, snapshot, offset_of(snapshot.source, params.position, encoding))
    if found is None or server.documents.get(params.text_document.uri) is not snapshot:
        return None  # nothing to say, or of a text that is gone by now
    document = server.client_capabilities.text_document
    known = document.hover if document else None
    content = markup(found.markdown, known.content_format or () if known else None)
    return lsp.Hover(contents=content, range=range_of(snapshot.source, found.span, encoding))


async def _hover(server: CroqtileServer, snapshot: Snapshot, offset: int) -> Hover | None:
    pictures = server.documents.pictures
    if needs_flow(snapshot, offset):
        reply = await server.flow.ask(snapshot, offset, partial(hover, offset=offset, pictures=pictures))
        if not reply.failed:
            found: Hover | None = reply.answer
            return found
        if reply.late:
            said = f"{reply.failed[0].upper()}{reply.failed[1:]}."
            return hover(snapshot, offset, pictures, with_flow=False, instead=said)
    return hover(snapshot, offset, pictures, with_flow=False, made=partial(server.layouts.copies_at, snapshot, offset))


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_HOVER, text_document_hover),)
