"""Our edits of one document as LSP's. Must not decide what to edit."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp

from croqc.text.edits import Edit, in_order
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import range_of
from croqls.lsp.server import CroqtileServer


def workspace_edit(server: CroqtileServer, snapshot: Snapshot, uri: str, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
    """Of the newest version, under the address that the client asked about. With its number, where the client
    understands versioned edits: so it drops what no longer fits."""
    source, encoding = snapshot.source, server.documents.encoding
    made = [lsp.TextEdit(range_of(source, edit.span, encoding), edit.new_text) for edit in in_order(edits)]
    workspace = server.client_capabilities.workspace
    known = workspace.workspace_edit if workspace else None
    if known and known.document_changes:
        document = lsp.OptionalVersionedTextDocumentIdentifier(uri, server.documents.version_of(uri, snapshot))
        return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, made)])
    return lsp.WorkspaceEdit(changes={uri: made})
