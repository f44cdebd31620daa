"""Reads long documents beside the loop, so that all others are served meanwhile. Requests about them wait for that, but
not for long where a version before was read: then they are answered with a glance at the new one.

Must not know single requests, but those that a glance is not enough for.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from croqc.service.check import FileReport
from croqc.syntax.glance import go_on
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import offset_of
from croqls.lsp.documents import Documents, key_of

_LONG = 1 << 16  # characters, some 2,000 lines: to read all of so many takes half a second
_MOMENT = 0.1  # seconds that a request waits for all of it; an edit of one function is read by then
_NEAR = 1 << 14  # characters that are read for a glance at a range
_CHANGES = (lsp.DidOpenTextDocumentParams, lsp.DidChangeTextDocumentParams, lsp.DidCloseTextDocumentParams)
_Found = TypeVar("_Found")
_ALL = (lsp.DocumentDiagnosticParams, lsp.RenameParams)  # of these every function counts
_OF_FILES = lsp.CodeActionKind.Source.value


class Reading:
    """`on_read` is called on the loop with the newest version of a document, once that is read, and whether somebody
    was given a glance at it before."""

    def __init__(self, documents: Documents) -> None:
        self.on_read: Callable[[Snapshot, bool], None] = lambda snapshot, glanced: None
        self._documents = documents
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._glances: dict[str, _Glances] = {}
        self._free = threading.Event()  # nobody is `ahead`
        self._free.set()
        self._ahead = 0

    def begin(self, snapshot: Snapshot) -> bool:
        """Whether a version is still to be read beside the loop, of which `on_read` will be told."""
        if not _is_due(snapshot):
            return False
        key = key_of(snapshot.uri)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._read(snapshot.uri))
        return True

    @contextmanager
    def ahead(self) -> Iterator[None]:
        """Meanwhile, and until an answer is sent, nothing is read on: who asks for something goes before who reads all,
        and of two threads each has half of the interpreter."""
        loop = asyncio.get_running_loop()
        self._ahead += 1
        self._free.clear()
        try:
            yield
        finally:
            loop.call_later(0, self._go_on)

    def _go_on(self) -> None:
        self._ahead -= 1
        if not self._ahead:
            self._free.set()

    def before(self, params: Any) -> Callable[[Callable[[], _Found]], Awaitable[_Found]] | None:
        """What the request with these parameters has to wait for, if anything, with its answer behind it; edits wait
        for nothing."""
        uri = None if isinstance(params, _CHANGES) else _uri_of(params)
        if uri is None or key_of(uri) not in self._tasks:
            return None
        return partial(self._behind, uri, self._documents.get(uri), params)

    async def _behind(self, uri: str, asked: Snapshot | None, params: Any, answer: Callable[[], _Found]) -> _Found:
        await self._until_known(uri, asked, params)
        with self.ahead():
            return answer()

    async def known(self, snapshot: Snapshot, place: Span | None = None) -> None:
        """Returns once there is something to say of a version, and of the functions at a place."""
        task = self._tasks.get(key_of(snapshot.uri))
        if task is not None and snapshot.previous is not None:
            await asyncio.wait([task], timeout=_MOMENT)
            if self._documents.get(snapshot.uri) is snapshot and _is_due(snapshot):
                await self._glance(snapshot, place)
        elif _is_due(snapshot):
            await self._until_read(snapshot.uri)

    async def _until_read(self, uri: str) -> None:
        while (task := self._tasks.get(key_of(uri))) is not None:
            await asyncio.wait([task])

    async def _until_known(self, uri: str, asked: Snapshot | None, params: Any) -> None:
        """Raises JsonRpcException where the document was changed meanwhile: places mean something else by now."""
        if asked is None or self._wants_all(asked, params):
            await self._until_read(uri)
        else:
            await self.known(asked, self._place(asked, params))
        if self._documents.get(uri) is not asked:
            raise _changed()

    async def beside(self, snapshot: Snapshot, work: Callable[[], _Found]) -> _Found:
        """What work about all of a version comes to, which is done beside the loop where that is long: without types of
        the protocol (`late_types`). Raises JsonRpcException where the document was changed meanwhile."""
        if len(snapshot.text) < _LONG:
            return work()
        with self.ahead():
            found = await asyncio.to_thread(work)
        if self._documents.get(snapshot.uri) is not snapshot:
            raise _changed()
        return found

    def _wants_all(self, snapshot: Snapshot, params: Any) -> bool:
        if isinstance(params, lsp.CodeActionParams):
            kinds = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
            place = self._place(snapshot, params)
            wide = place is not None and place.length >= _NEAR
            return wide or any(kind.split(".")[0] == _OF_FILES for kind in kinds)
        return isinstance(params, _ALL)

    def _place(self, snapshot: Snapshot, params: Any) -> Span | None:
        """The part of a version that a request is about; None for all of it, or for what is none."""
        position, within = getattr(params, "position", None), getattr(params, "range", None)
        encoding, source = self._documents.encoding, snapshot.source
        if isinstance(position, lsp.Position):
            offset = offset_of(source, position, encoding)
            return Span(offset, offset)
        if isinstance(within, lsp.Range):
            start, end = (offset_of(source, one, encoding) for one in (within.start, within.end))
            return Span(start, min(max(start, end), start + _NEAR))
        return None

    async def _glance(self, snapshot: Snapshot, place: Span | None) -> None:
        """One after the other: an editor asks ten things at once, of the same few functions."""
        known = self._glances.get(key_of(snapshot.uri))
        if known is None or known.snapshot is not snapshot:
            known = self._glances[key_of(snapshot.uri)] = _Glances(snapshot)
        async with known.turn:
            if not _is_due(snapshot) or known.has(place):
                return
            with self.ahead():
                report = await asyncio.to_thread(snapshot.glance, place)
            if _is_due(snapshot):
                snapshot.keep(report, lent=True)
                known.places.append(place)

    async def _read(self, uri: str) -> None:
        """The newest version, again and again until there is no newer one."""
        key = key_of(uri)
        last: FileReport | None = None
        try:
            while (snapshot := self._documents.get(uri)) is not None and _is_due(snapshot):
                last = await read(snapshot, last, self._free.wait)
        finally:
            del self._tasks[key]
            glances = self._glances.pop(key, None)
        if snapshot is not None:
            self.on_read(snapshot, glances is not None)


class _Glances:
    """Those at one version; `places` are the parts of it that were read."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.turn = asyncio.Lock()
        self.places: list[Span | None] = []

    def has(self, place: Span | None) -> bool:
        """Whether a glance would tell nothing new."""
        if place is None:
            return bool(self.places)
        return any(one is not None and one.start <= place.start and place.end <= one.end for one in self.places)


async def read(snapshot: Snapshot, last: FileReport | None = None, between: Callable[[], Any] = go_on) -> FileReport:
    """The report of a version, made beside the loop where it is long; `last` is one of the document that is known."""
    if _is_due(snapshot):
        snapshot.keep(await asyncio.to_thread(snapshot.read, last, between))
    return snapshot.report


def _changed() -> JsonRpcException:
    code = lsp.LSPErrorCodes.ContentModified.value
    return JsonRpcException(message="the document was changed meanwhile", code=code)


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
