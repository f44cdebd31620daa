"""`textDocument/didOpen`, `didChange`, `didClose`: keep the documents, push their diagnostics."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.snapshot import Snapshot
from croqls.lsp.documents import key_of
from croqls.lsp.publish import publish, retract
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer


def did_open(server: CroqtileServer, params: lsp.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    snapshot, problem = server.documents.open(document.uri, document.version, document.text)
    server.tell_of_projects([problem] if problem else [])
    _tell_of_limits(server, snapshot)
    publish(server, snapshot)


def did_change(server: CroqtileServer, params: lsp.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    before = server.documents.get(document.uri)
    snapshot = server.documents.change(document.uri, document.version, params.content_changes)
    if snapshot is not None:
        if before is not None and not before.limited:
            _tell_of_limits(server, snapshot)
        publish(server, snapshot)


def _tell_of_limits(server: CroqtileServer, snapshot: Snapshot) -> None:
    if snapshot.limited:
        text = f"{snapshot.uri.rpartition('/')[2]} has {snapshot.excess}: limited mode, nothing in it is checked"
        server.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Info, message=text))


def did_close(server: CroqtileServer, params: lsp.DidCloseTextDocumentParams) -> None:
    """What is known of a document goes with the last of its addresses."""
    uri = params.text_document.uri
    key = key_of(uri)
    if server.documents.close(uri):
        server.flow.forget(key)
        server.hangs.pop(key, None)
        server.tokens.pop(key, None)
        server.encoded.pop(key, None)
        server.outlines.pop(key, None)
    server.pulled.pop(uri, None)
    retract(server, uri)


ENTRIES = (
    Entry(lsp.TEXT_DOCUMENT_DID_OPEN, did_open),
    Entry(lsp.TEXT_DOCUMENT_DID_CHANGE, did_change),
    Entry(lsp.TEXT_DOCUMENT_DID_CLOSE, did_close),
)
