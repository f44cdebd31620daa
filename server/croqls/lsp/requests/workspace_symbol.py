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
from croqls.lsp.symbol_index import Indexed

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
    return await asyncio.to_thread(_found, server, params.query, folders, opened)


def _found(
    server: CroqtileServer, query: str, folders: list[Path], opened: dict[str, tuple[str, str]]
) -> list[lsp.WorkspaceSymbol]:
    found: list[lsp.WorkspaceSymbol] = []
    for uri, indexed in _files(server, folders, opened):
        wanted = [item for item in indexed.found if means(query, item.name)]
        source = Source(indexed.text) if wanted else Source("")
        found += [_symbol(server, uri, source, item) for item in wanted]
        if len(found) >= _MOST:
            break
    return found[:_MOST]


def _files(
    server: CroqtileServer, folders: list[Path], opened: dict[str, tuple[str, str]]
) -> Iterator[tuple[str, Indexed]]:
    for uri, text in opened.values():
        yield uri, server.symbols.text(uri, text)
    for path in server.symbols.files(folders):
        indexed = None if key_of(path.as_uri()) in opened else server.symbols.file(path)
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
