"""The document and the offset that a request with a position is about. Must not know any request."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from lsprotocol import types as lsp

from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import offset_of
from croqls.lsp.server import CroqtileServer


class Positioned(Protocol):
    """The parameters of a request that concerns one position of a document."""

    text_document: lsp.TextDocumentIdentifier
    position: lsp.Position


class Place(NamedTuple):
    """One version of a document, and an absolute offset in it."""

    snapshot: Snapshot
    offset: int


def place_of(server: CroqtileServer, params: Positioned) -> Place | None:
    """Where the client points; None for a document that is not open."""
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return None
    return Place(snapshot, offset_of(snapshot.source, params.position, server.documents.encoding))


def is_present(server: CroqtileServer, snapshot: Snapshot) -> bool:
    """Whether a snapshot still is its document's newest version: others may have come while something was awaited."""
    return server.documents.get(snapshot.uri) is snapshot
