"""The server object: a language server with the open documents beside it. Must not know any request."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from croqc import __version__
from croqls.lsp.documents import Documents
from croqls.lsp.flow_process import FlowProcess
from croqls.lsp.protocol import CroqtileProtocol
from croqls.lsp.symbol_index import SymbolIndex


class CroqtileServer(LanguageServer):
    """What each handler is given."""

    def __init__(self) -> None:
        super().__init__(
            "croqls",
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            protocol_cls=CroqtileProtocol,
        )
        self.documents = Documents()
        self.flow = FlowProcess()
        self.symbols = SymbolIndex()
        self.tokens: dict[str, lsp.SemanticTokens] = {}  # the newest answer for each document
        self.tokens_sent = 0
        self.failures: set[tuple[str, str]] = set()  # address and message of what failed inside the tools and is logged
