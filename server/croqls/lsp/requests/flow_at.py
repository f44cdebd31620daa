"""`croqtile/flowAt`: the state of the credit flow at a position (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqls.lsp.asking import data_of, document_of, params_of, position_of
from croqls.lsp.convert import offset_of
from croqls.lsp.orders import order_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/flowAt"


async def flow_at(server: CroqtileServer, params: Any) -> Any:
    """Positions of the request are in the units that were agreed on, those of the answer in UTF-16 units."""
    given = params_of(params)
    snapshot = document_of(server, given)
    offset = offset_of(snapshot.source, position_of(given), server.documents.encoding)
    place = snapshot.source.position(offset)
    order = order_of(snapshot, "flowAt", {"line": place.line, "character": place.column})
    return await data_of(server, server.tools, order, given)


ENTRIES = (Entry(METHOD, flow_at),)
