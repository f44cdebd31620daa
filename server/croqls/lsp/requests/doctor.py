"""`croqtile/doctor`: what is here for running on a card, as `croq doctor --json` (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqls.lsp.asking import data_of, params_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer
from croqls.workers.orders import Order

METHOD = "croqtile/doctor"


async def doctor(server: CroqtileServer, params: Any) -> Any:
    """Libraries of CUDA are loaded for it, which takes seconds: not in the process that follows the cursor."""
    return await data_of(server, server.compiler, Order("doctor", None, {}), params_of(params))


ENTRIES = (Entry(METHOD, doctor),)
