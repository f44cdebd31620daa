"""The server object and its life: what it can do is the table; each request stands in a file of its own."""

from __future__ import annotations

import logging
import sys
from functools import partial

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from croqc import __version__
from croqls.lsp.documents import Documents
from croqls.lsp.requests import TABLE


class CroqtileServer(LanguageServer):
    """A language server with the open documents beside it."""

    def __init__(self) -> None:
        super().__init__("croqls", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental)
        self.documents = Documents()


def make_server() -> CroqtileServer:
    """A server with every request of the table registered."""
    server = CroqtileServer()
    for entry in TABLE:
        server.feature(entry.method, entry.options)(partial(entry.handler, server))
    return server


def serve() -> None:
    """Serve on standard input and output until the client ends it; log to standard error."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    make_server().start_io()
