"""`croqtile/ir`: what a stage of the compiler made of a document, as `croq dump` (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqls.lsp.asking import data_of, document_of, options_of, order_of, params_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/ir"


async def ir(server: CroqtileServer, params: Any) -> Any:
    given = params_of(params)
    order = order_of(document_of(server, given), "ir", options_of(given, {"after": str}))
    return await data_of(server, server.tools, order, given)


ENTRIES = (Entry(METHOD, ir),)
