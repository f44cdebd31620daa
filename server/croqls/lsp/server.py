"""The server object: a language server with the open documents beside it. Must not know any request."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from croqc import __version__
from croqc.service.history import History
from croqls.lsp.documents import Documents
from croqls.lsp.encoded import Encoded
from croqls.lsp.flow_process import FlowProcess
from croqls.lsp.layouts import LayoutFinder
from croqls.lsp.outlines import Outlines
from croqls.lsp.protocol import CroqtileProtocol, plain_converter
from croqls.lsp.reading import Reading
from croqls.lsp.runs import Runs
from croqls.lsp.spare_core import SpareCore
from croqls.lsp.symbol_index import SymbolIndex
from croqls.lsp.worker_process import WorkerProcess


class CroqtileServer(LanguageServer):
    """What each handler is given."""

    def __init__(self) -> None:
        super().__init__(
            "croqls",
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            protocol_cls=CroqtileProtocol,
            converter_factory=plain_converter,
        )
        self.documents = Documents()
        self.reading = Reading(self.documents)
        self.pull = self.pull_offered = False  # the client asks for diagnostics; it was told so at its start
        self.pull_wanted = False  # by the settings
        self.pulled: dict[str, tuple[str, list[lsp.Diagnostic]]] = {}  # the newest answer, by address
        self.pulls = 0
        self.trusted_at_start = True  # by who started the server, which no setting of a workspace overrules
        self.options: object = None  # the settings that came with `initialize`
        self.complaints: frozenset[str] = frozenset()  # about the settings as they are; each is shown once
        self.project_complaints: set[str] = set()  # about `croq.toml` files
        self.flow = FlowProcess()
        self.spare_core = SpareCore()
        self.tools = WorkerProcess("croqls-tools", grace=2.0)
        self.compiler = WorkerProcess("croqls-compiler", grace=0.0)
        self.runs = Runs(WorkerProcess("croqls-runs", grace=0.0), History())
        self.hangs: dict[str, tuple[str, list[lsp.Diagnostic]]] = {}  # the text that ran last, and where it stood
        self.layouts = LayoutFinder(self.documents, self.tools)
        self.symbols = SymbolIndex()
        self.tokens: dict[str, lsp.SemanticTokens] = {}  # the newest answer for each document
        self.tokens_sent = 0
        self.encoded: dict[str, Encoded] = {}  # by document
        self.outlines: dict[str, Outlines] = {}  # the same
        self.failures: set[tuple[str, str]] = set()  # address and message of what failed inside the tools and is logged

    def may_run(self, uri: str) -> bool:
        """Whether a document may be run or compiled."""
        return self.trusted_at_start and self.documents.trusts(uri)

    def tell_of_projects(self, problems: Iterable[str]) -> None:
        """Show what is wrong with project files: once, however many documents a file is of, until that file changes."""
        for text in problems:
            if text not in self.project_complaints:
                self.project_complaints.add(text)
                self.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=text))

    def stop_processes(self) -> None:
        """End every process of the server."""
        self.flow.stop()
        self.tools.stop()
        self.compiler.stop()
        self.runs.worker.stop()
