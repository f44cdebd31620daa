"""`croqtile/sharedMemory`: how a document's kernels use shared memory (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqls.lsp.asking import COMMON, data_of, document_of, options_of, order_of, params_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/sharedMemory"


async def shared_memory(server: CroqtileServer, params: Any) -> Any:
    given = params_of(params)
    order = order_of(document_of(server, given), "sharedMemory", options_of(given, COMMON))
    return await data_of(server, server.tools, order, given)


ENTRIES = (Entry(METHOD, shared_memory),)
