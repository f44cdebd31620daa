"""`croqtile/flowPage`: the page of `croq flow --html` of a document's kernels, for a panel (docs/protocol.md).

Nothing is run for it. Must not build the page (see `croqc.service.flow_page`).
"""

from __future__ import annotations

import re
from typing import Any, Final

from pygls.exceptions import JsonRpcInvalidParams

from croqls.lsp.asking import COMMON, data_of, document_of, options_of, params_of
from croqls.lsp.orders import order_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

_KINDS = {**COMMON, "nonce": str}
_NONCE: Final = re.compile(r"[A-Za-z0-9+/_-]{16,256}={0,2}")  # CSP 3, `nonce-source`; short ones can be guessed


async def flow_page(server: CroqtileServer, params: Any) -> Any:
    """Raises JsonRpcInvalidParams without a nonce that can stand in a content security policy."""
    given = params_of(params)
    options = options_of(given, _KINDS)
    if not _NONCE.fullmatch(options.get("nonce", "")):
        raise JsonRpcInvalidParams("'nonce' must be 16 or more characters of base64")
    return await data_of(server, server.tools, order_of(document_of(server, given), "flowPage", options), given)


ENTRIES = (Entry("croqtile/flowPage", flow_page),)
