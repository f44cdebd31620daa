"""`croqtile/runCancel`: end the run that is under way (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqls.lsp.asking import options_of, params_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/runCancel"


def run_cancel(server: CroqtileServer, params: Any) -> dict[str, Any]:
    number = options_of(params_of(params), {"id": int}).get("id")
    return {"version": 1, "cancelled": server.runs.cancel(number)}


ENTRIES = (Entry(METHOD, run_cancel),)
