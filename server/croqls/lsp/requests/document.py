"""`croqtile/document`: what is to be told of a document beside its findings (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqls.ide.flags import flags_of
from croqls.lsp.asking import document_of, params_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/document"


def document(server: CroqtileServer, params: Any) -> dict[str, Any]:
    snapshot = document_of(server, params_of(params))
    report = snapshot.report
    flags = flags_of(report, server.documents.settings_of(snapshot.uri).below, snapshot.below)
    return {"version": 1, "dialect": report.dialect, "arch": report.target.name, "flags": flags}


ENTRIES = (Entry(METHOD, document),)
