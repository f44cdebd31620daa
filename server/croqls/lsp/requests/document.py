"""`croqtile/document`: what is to be told of a document beside its findings (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqls.lsp.asking import document_of, params_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/document"


def document(server: CroqtileServer, params: Any) -> dict[str, Any]:
    report = document_of(server, params_of(params)).report
    return {"version": 1, "dialect": report.dialect, "arch": report.target.name}


ENTRIES = (Entry(METHOD, document),)
