"""`textDocument/documentLink`. Whether an included file exists is looked up beside the loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types as lsp

from croqls.ide.document_links import Link, document_links
from croqls.lsp.convert import range_of
from croqls.lsp.documents import path_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer


async def text_document_document_link(
    server: CroqtileServer, params: lsp.DocumentLinkParams
) -> list[lsp.DocumentLink] | None:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    links, path = document_links(snapshot), path_of(snapshot.uri)
    targets = await asyncio.to_thread(_targets, links, path)
    encoding = server.documents.encoding
    document = server.client_capabilities.text_document
    tips = bool(document and document.document_link and document.document_link.tooltip_support)
    return [
        lsp.DocumentLink(range_of(snapshot.source, link.span, encoding), target, link.tip if tips else None)
        for link, target in zip(links, targets, strict=True)
        if target
    ]


def _targets(links: tuple[Link, ...], path: Path | None) -> list[str]:
    return [link.address or _file(link.file, path) for link in links]


def _file(written: str, path: Path | None) -> str:
    """The address of a file beside the document; empty for one that is not there."""
    if path is None:
        return ""
    try:
        found = (path.parent / written).resolve()
        return found.as_uri() if found.is_file() else ""
    except (OSError, ValueError):  # a name that no file can have
        return ""


ENTRIES = (Entry(lsp.TEXT_DOCUMENT_DOCUMENT_LINK, text_document_document_link, lsp.DocumentLinkOptions()),)
