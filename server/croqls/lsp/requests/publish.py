"""`textDocument/publishDiagnostics`: push what `check` says of a document. Must not decide when."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import diagnostic
from croqls.lsp.server import CroqtileServer


def publish(server: CroqtileServer, snapshot: Snapshot) -> None:
    """Push the diagnostics of one version."""
    encoding = server.documents.encoding
    items = [diagnostic(snapshot.source, item, snapshot.uri, encoding) for item in snapshot.report.diagnostics]
    server.text_document_publish_diagnostics(
        lsp.PublishDiagnosticsParams(uri=snapshot.uri, version=snapshot.version, diagnostics=items)
    )


def retract(server: CroqtileServer, uri: str) -> None:
    """Clear the list of a document that was closed."""
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=[]))
