"""`workspace/symbol`: over the `.co` files of the workspace's folders, read beside the loop, and the open documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types as lsp

from croqc.text.source import Source
from croqls.ide.declared import Declared, means
from croqls.ide.symbols import OutlineKind
from croqls.lsp.convert import range_of
from croqls.lsp.documents import key_of, path_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer
from croqls.lsp.symbol_index import Indexed, SymbolIndex

_MOST = 500  # answers; who gets more asks more closely
_KINDS = {
    OutlineKind.FUNCTION: lsp.SymbolKind.Function,
    OutlineKind.BUFFER: lsp.SymbolKind.Array,
    OutlineKind.EVENT: lsp.SymbolKind.Event,
    OutlineKind.MACRO: lsp.SymbolKind.Constant,
}


async def workspace_symbol(
    server: CroqtileServer, params: lsp.WorkspaceSymbolParams
) -> list[lsp.WorkspaceSymbol] | None:
    """An open document counts as it is now, not as it was saved."""
    folders = [path for folder in server.workspace.folders.values() if (path := path_of(folder.uri)) is not None]
    opened = {key_of(snapshot.uri): (snapshot.uri, snapshot.text) for snapshot in server.documents.all()}
    found = await asyncio.to_thread(_found, server.symbols, params.query, folders, opened)
    return [_symbol(server, *one) for one in found]


def _found(
    symbols: SymbolIndex, query: str, folders: list[Path], opened: dict[str, tuple[str, str]]
) -> list[tuple[str, Source, Declared]]:
    """In a thread, and so without types of the protocol: the loop alone makes these (`late_types`)."""
    found: list[tuple[str, Source, Declared]] = []
    for uri, indexed in _files(symbols, folders, opened):
        wanted = [item for item in indexed.found if means(query, item.name)]
        source = Source(indexed.text) if wanted else Source("")
        found += [(uri, source, item) for item in wanted]
        if len(found) >= _MOST:
            break
    return found[:_MOST]


def _files(
    symbols: SymbolIndex, folders: list[Path], opened: dict[str, tuple[str, str]]
) -> Iterator[tuple[str, Indexed]]:
    for uri, text in opened.values():
        yield uri, symbols.text(uri, text)
    for path in symbols.files(folders):
        indexed = None if key_of(path.as_uri()) in opened else symbols.file(path)
        if indexed is not None:
            yield path.as_uri(), indexed


def _symbol(server: CroqtileServer, uri: str, source: Source, item: Declared) -> lsp.WorkspaceSymbol:
    place = range_of(source, item.span, server.documents.encoding)
    return lsp.WorkspaceSymbol(
        name=item.name,
        kind=_KINDS[item.kind],
        location=lsp.Location(uri=uri, range=place),
        container_name=item.container or None,
    )


ENTRIES = (Entry(lsp.WORKSPACE_SYMBOL, workspace_symbol),)
