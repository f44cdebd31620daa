"""`croqtile/expansion`: what the use of a macro at a position becomes (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

from croqc.service.check_result import range_of
from croqc.service.json_text import to_data
from croqls.ide.expansion import expansion_at
from croqls.lsp.asking import RequestFailedError, document_of, params_of, position_of
from croqls.lsp.convert import offset_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/expansion"
_NONE = "there is no use of a macro here that is expanded; put the cursor on one in a '__co__' function"


def expansion(server: CroqtileServer, params: Any) -> dict[str, Any]:
    """Positions of the request are in the units that were agreed on, those of the answer in UTF-16 units."""
    given = params_of(params)
    snapshot = document_of(server, given)
    found = expansion_at(snapshot, offset_of(snapshot.source, position_of(given), server.documents.encoding))
    if found is None:
        raise RequestFailedError(_NONE)
    source = snapshot.source
    return {
        "version": 1,
        "name": found.name,
        "range": to_data(range_of(source, found.span)),
        "definition": None if found.defined is None else to_data(range_of(source, found.defined)),
        "use": source.text[found.span.start : found.span.end],
        "text": found.text,
    }


ENTRIES = (Entry(METHOD, expansion),)
