"""`textDocument/prepareRename` and `textDocument/rename`. A refusal is an error with the reason as its message."""

from __future__ import annotations

import asyncio

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from croqls.ide.rename import Refused, renamable, rename
from croqls.lsp.convert import range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.requests.place import is_present, place_of
from croqls.lsp.server import CroqtileServer
from croqls.lsp.workspace_edit import workspace_edit


def prepare_rename(server: CroqtileServer, params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
    place = place_of(server, params)
    if place is None:
        return None
    span = renamable(*place)
    if isinstance(span, Refused):
        raise _error(span)
    snapshot = place.snapshot
    name = snapshot.text[span.start : span.end]
    return lsp.PrepareRenamePlaceholder(range_of(snapshot.source, span, server.documents.encoding), name)


async def text_document_rename(server: CroqtileServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    """Beside the loop: a macro's new name is tried in every function of the file."""
    place = place_of(server, params)
    if place is None:
        return None
    edits = await asyncio.to_thread(rename, *place, params.new_name)
    if not is_present(server, place.snapshot):
        code = lsp.LSPErrorCodes.ContentModified.value
        raise JsonRpcException(message="the document was changed meanwhile; nothing was renamed", code=code)
    if isinstance(edits, Refused):
        raise _error(edits)
    return workspace_edit(server, place.snapshot, params.text_document.uri, edits)


def _error(refused: Refused) -> JsonRpcException:
    """`RequestFailed` (LSP 3.17): the request was understood, and there is a reason against it."""
    return JsonRpcException(message=refused.reason, code=lsp.LSPErrorCodes.RequestFailed.value)


ENTRIES = (
    Entry(lsp.TEXT_DOCUMENT_PREPARE_RENAME, prepare_rename),
    Entry(lsp.TEXT_DOCUMENT_RENAME, text_document_rename, lsp.RenameOptions(prepare_provider=True)),
)
