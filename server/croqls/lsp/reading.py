"""Reads long documents beside the loop, so that all others are served meanwhile; requests about them wait for that.

Must not know single requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from croqc.service.check import FileReport
from croqls.ide.snapshot import Snapshot
from croqls.lsp.documents import Documents, key_of

_LONG = 1 << 16  # characters, some 2,000 lines: to read all of so many takes half a second
_CHANGES = (lsp.DidOpenTextDocumentParams, lsp.DidChangeTextDocumentParams, lsp.DidCloseTextDocumentParams)


class Reading:
    """`on_read` is called on the loop with the newest version of a document, once that is read."""

    def __init__(self, documents: Documents) -> None:
        self.on_read: Callable[[Snapshot], None] = lambda _: None
        self._documents = documents
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, snapshot: Snapshot) -> bool:
        """Whether a version is still to be read beside the loop, of which `on_read` will be told."""
        if not _is_due(snapshot):
            return False
        key = key_of(snapshot.uri)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._read(snapshot.uri))
        return True

    def before(self, params: Any) -> Callable[[], Awaitable[None]] | None:
        """What the request with these parameters has to wait for, if anything; edits wait for nothing."""
        uri = None if isinstance(params, _CHANGES) else _uri_of(params)
        if uri is None or key_of(uri) not in self._tasks:
            return None
        return partial(self._until_read, uri, self._documents.get(uri))

    async def _until_read(self, uri: str, asked: Snapshot | None) -> None:
        """Raises JsonRpcException where the document was changed meanwhile: places mean something else by now."""
        while (task := self._tasks.get(key_of(uri))) is not None:
            await asyncio.wait([task])
        if self._documents.get(uri) is not asked:
            code = lsp.LSPErrorCodes.ContentModified.value
            raise JsonRpcException(message="the document was changed meanwhile", code=code)

    async def _read(self, uri: str) -> None:
        """The newest version, again and again until there is no newer one."""
        last: FileReport | None = None
        try:
            while (snapshot := self._documents.get(uri)) is not None and _is_due(snapshot):
                last = await read(snapshot, last)
        finally:
            del self._tasks[key_of(uri)]
        if snapshot is not None:
            self.on_read(snapshot)


async def read(snapshot: Snapshot, last: FileReport | None = None) -> FileReport:
    """The report of a version, made beside the loop where it is long; `last` is one of the document that is known."""
    if _is_due(snapshot):
        snapshot.keep(await asyncio.to_thread(snapshot.read, last))
    return snapshot.report


def _is_due(snapshot: Snapshot) -> bool:
    return len(snapshot.text) >= _LONG and not snapshot.is_read and not snapshot.limited


def _uri_of(params: Any) -> str | None:
    """The document that a request is about."""
    if isinstance(params, Mapping):
        document = params.get("textDocument")
        uri = document.get("uri") if isinstance(document, Mapping) else None
    else:
        document = getattr(params, "text_document", None) or getattr(params, "item", None)
        uri = getattr(document, "uri", None)
    return uri if isinstance(uri, str) else None
