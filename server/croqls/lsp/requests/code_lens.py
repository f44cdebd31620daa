"""`textDocument/codeLens`. Whether a card is there is looked for once, and the runs of earlier sessions are read
once a document, beside the loop."""

from __future__ import annotations

import asyncio
from functools import cache, partial
from typing import Any

from lsprotocol import types as lsp

from croqc.service.machine import has_driver
from croqls.ide.lenses import Lens, lenses
from croqls.lsp.convert import range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer


async def text_document_code_lens(server: CroqtileServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    uri = params.text_document.uri
    card = await asyncio.to_thread(_card)
    if server.documents.get(uri) is not None:
        await server.runs.recall(uri)
    snapshot = server.documents.get(uri)  # as it is by now: an editor does not ask a second time
    if snapshot is None:
        return []
    await server.reading.known(snapshot)
    costs, ran, layouts = server.documents.costs_of(snapshot), server.runs.ran(uri), server.layouts.of(snapshot)
    found = await server.reading.beside(snapshot, partial(lenses, snapshot, card, costs, ran, layouts))
    source, encoding = snapshot.source, server.documents.encoding
    return [
        lsp.CodeLens(
            range=range_of(source, lens.span, encoding),
            command=lsp.Command(title=lens.title, command=lens.command, arguments=_arguments(uri, lens)),
        )
        for lens in found
    ]


def _arguments(uri: str, lens: Lens) -> list[Any]:
    """As commands take them: the document, a function, options."""
    return [uri, lens.function, *([] if lens.overload is None else [{"overload": lens.overload}])]


@cache
def _card() -> bool:
    return has_driver()


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_CODE_LENS, text_document_code_lens, lsp.CodeLensOptions(resolve_provider=False)),)
