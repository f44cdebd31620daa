"""`textDocument/formatting` and `rangeFormatting`: small edits between tokens. Must not format.

Where syntax errors are in the way there are no edits, and a message says so.
"""

from __future__ import annotations

import asyncio

from lsprotocol import types as lsp

from croqc.service.format import formatting
from croqc.text.edits import in_order
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import offset_of, range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

Edits = list[lsp.TextEdit] | None


async def text_document_formatting(server: CroqtileServer, params: lsp.DocumentFormattingParams) -> Edits:
    """Indentation is the language's, whatever the options say, so that a text looks alike everywhere."""
    snapshot = server.documents.get(params.text_document.uri)
    return None if snapshot is None else await _edits(server, snapshot, None)


async def text_document_range_formatting(server: CroqtileServer, params: lsp.DocumentRangeFormattingParams) -> Edits:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    encoding = server.documents.encoding
    start = offset_of(snapshot.source, params.range.start, encoding)
    end = offset_of(snapshot.source, params.range.end, encoding)
    return await _edits(server, snapshot, Span(start, max(start, end)))


async def _edits(server: CroqtileServer, snapshot: Snapshot, within: Span | None) -> Edits:
    with server.reading.ahead():
        found = await asyncio.to_thread(
            formatting, snapshot.report.tree, within, server.documents.formatted_of(snapshot)
        )
    if server.documents.get(snapshot.uri) is not snapshot:
        return None  # of a text that is gone by now
    if found.skipped:
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(found.skipped))
        text = f"not formatted: syntax errors in {names}; mend them first"
        server.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=text))
        return None
    encoding = server.documents.encoding
    return [lsp.TextEdit(range_of(snapshot.source, one.span, encoding), one.new_text) for one in in_order(found.edits)]


ENTRIES = (
    Entry(lsp.TEXT_DOCUMENT_FORMATTING, text_document_formatting),
    Entry(lsp.TEXT_DOCUMENT_RANGE_FORMATTING, text_document_range_formatting),
)
