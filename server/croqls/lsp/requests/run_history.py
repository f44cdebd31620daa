"""`croqtile/runs`: what came of the last runs of a document (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqls.lsp.asking import options_of, params_of, uri_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.runs import last_good
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/runs"


async def run_history(server: CroqtileServer, params: Any) -> dict[str, Any]:
    """Also of a document that was closed, and of runs before this server."""
    given = params_of(params)
    known = await server.runs.history(uri_of(given), options_of(given, {"entry": str}).get("entry"))
    good, now = last_good(known), server.runs.current
    return {
        "version": 1,
        "running": None if now is None else now.id,
        "lastGood": None if good is None else known.index(good),
        "runs": [{"id": past.id, "at": past.at, "run": past.run} for past in known],
    }


ENTRIES = (Entry(METHOD, run_history),)
