"""`croqtile/flowAt`: the state of the credit flow at a position (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from croqls.lsp.asking import data_of, document_of, order_of, params_of
from croqls.lsp.convert import offset_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

_MOST = 2**31 - 1
METHOD = "croqtile/flowAt"


async def flow_at(server: CroqtileServer, params: Any) -> Any:
    """Positions of the request are in the units that were agreed on, those of the answer in UTF-16 units."""
    given = params_of(params)
    snapshot = document_of(server, given)
    offset = offset_of(snapshot.source, _position(given.get("position")), server.documents.encoding)
    place = snapshot.source.position(offset)
    order = order_of(snapshot, "flowAt", {"line": place.line, "character": place.column})
    return await data_of(server, server.tools, order, given)


def _position(value: Any) -> lsp.Position:
    """Raises JsonRpcInvalidParams for what is no position (LSP 3.17, `uinteger`)."""
    given = value if isinstance(value, Mapping) else {}
    line, character = given.get("line"), given.get("character")
    if (
        type(line) is not int
        or type(character) is not int
        or not 0 <= min(line, character) <= max(line, character) <= _MOST
    ):
        raise JsonRpcInvalidParams("'position' must have a line and a character, counted from 0")
    return lsp.Position(line, character)


ENTRIES = (Entry(METHOD, flow_at),)
