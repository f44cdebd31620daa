"""`croqtile/generated`: CUDA, PTX or SASS of a document with a map of lines both ways (docs/protocol.md).

PTX and SASS take the compiler, in a process of its own.
"""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from croqc.service.code_forms import FORMS, MACHINE_FORMS
from croqls.lsp.asking import COMMON, UNTRUSTED, RequestFailedError, data_of, document_of, options_of, params_of
from croqls.lsp.orders import order_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

METHOD = "croqtile/generated"


async def generated(server: CroqtileServer, params: Any) -> Any:
    given = params_of(params)
    options = options_of(given, {**COMMON, "form": str})
    form = options.get("form", "cuda")
    if form not in FORMS:
        raise JsonRpcInvalidParams(f"'form' must be one of {', '.join(FORMS)}")
    snapshot = document_of(server, given)
    if form not in MACHINE_FORMS:
        return await data_of(server, server.tools, order_of(snapshot, "generated", options), given)
    if not server.may_run(snapshot.uri):
        raise RequestFailedError(UNTRUSTED)
    title = f"Compile to {form.upper()}"
    return await data_of(server, server.compiler, order_of(snapshot, "generated", options), given, title)


ENTRIES = (Entry(METHOD, generated),)
