"""A real server process under a real client, once with the capabilities of each editor we serve.

`clients/` holds what real editors sent as the parameters of `initialize`, recorded by a `croq` that keeps its input;
their folder stands as @PATH@ and @URI@. Emacs 29, which counts columns in code points, is pytest-lsp's own record.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from lsprotocol.converters import get_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from tests.lsp.bare import Server
from tests.lsp.positions import offset_at, place_at

EDITORS = ("vscode", "neovim", "emacs@v29.1")
CLIENTS = Path(__file__).parent / "clients"


def recorded(editor: str, folder: Path) -> lsp.InitializeParams:
    """What an editor sends for a folder."""
    text = (CLIENTS / f"{editor}.json").read_text(encoding="utf-8")
    text = text.replace("@URI@", folder.as_uri()).replace("@PATH@", json.dumps(str(folder))[1:-1])
    params: lsp.InitializeParams = get_converter().structure(json.loads(text)["params"], lsp.InitializeParams)
    return params


def sent_by(editor: str, folder: Path) -> lsp.InitializeParams:
    """The parameters of `initialize` of an editor that opens a folder."""
    if (CLIENTS / f"{editor}.json").exists():
        params = recorded(editor, folder)
        params.initialization_options = None  # settings are for the tests that are about them
        return params
    folders = [lsp.WorkspaceFolder(folder.as_uri(), folder.name)]
    return lsp.InitializeParams(capabilities=client_capabilities(editor), root_uri=None, workspace_folders=folders)


def make_client() -> LanguageClient:
    client = make_test_lsp_client()
    client.published = []

    def publish(params: lsp.PublishDiagnosticsParams) -> None:
        client.published.append(params)

    # The client has a handler of its own, which forgets versions.
    client.protocol.fm.features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = publish

    @client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def register(_: LanguageClient, params: lsp.RegistrationParams) -> None:
        client.registered = [item.method for item in params.registrations]

    @client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
    def refresh(_: LanguageClient, params: None) -> None:
        """Some editors say that they ask for hints anew; tests do."""

    return client


CONFIG = ClientServerConfig(server_command=[sys.executable, "-m", "croqls"], client_factory=make_client)


@pytest_lsp.fixture(config=CONFIG, params=EDITORS)
async def client(request: object, lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    editor = request.param  # type: ignore[attr-defined]
    lsp_client.initialized = await lsp_client.initialize_session(sent_by(editor, tmp_path))
    lsp_client.folder = tmp_path
    yield
    await lsp_client.shutdown_session()


def text_of(documentation: lsp.MarkupContent | str | None) -> str:
    """What there is to read, in whichever form the client takes it."""
    return documentation.value if isinstance(documentation, lsp.MarkupContent) else documentation or ""


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that is not initialized yet; it is gone after the test."""
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    """One server for all of a file that are only wrong in what they send: it goes on as before."""
    with Server() as server:
        server.start()
        yield server


@pytest.fixture
def launched() -> Iterator[Callable[..., Server]]:
    """Starts servers with options of `Popen`; they are gone after the test."""
    servers: list[Server] = []

    def launch(**options: Any) -> Server:
        servers.append(Server(**options))
        return servers[-1]

    yield launch
    for server in servers:
        server.process.kill()
        server.process.wait()


class Editor:
    """What a test does with a document: open, edit, wait for the list of a version."""

    def __init__(self, client: LanguageClient, name: str, text: str) -> None:
        self.client, self.version, self.text = client, 1, text
        self.uri = (client.folder / name).as_uri()
        self.document = lsp.TextDocumentIdentifier(self.uri)
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(self.uri, "croqtile", self.version, text))
        )

    @property
    def encoding(self) -> str:
        return self.client.initialized.capabilities.position_encoding or "utf-16"

    def position(self, word: str, after: int = 0) -> lsp.Position:
        """Where a word stands, in the units that client and server agreed on."""
        return self.place(self.text.index(word) + after)

    def place(self, offset: int) -> lsp.Position:
        return lsp.Position(**place_at(self.text, offset, self.encoding))

    def applied(self, edits: Iterable[lsp.TextEdit]) -> str:
        """The text after edits, each made at its own place in the text before."""

        def offset(place: lsp.Position) -> int:
            return offset_at(self.text, {"line": place.line, "character": place.character}, self.encoding)

        text = self.text
        for edit in sorted(edits, key=lambda one: offset(one.range.start), reverse=True):
            text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
        return text

    def replace(self, old: str, new: str) -> None:
        """Send the change of one word as an incremental edit."""
        start = self.position(old)
        end = self.position(old, len(old))
        self.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version),
                [lsp.TextDocumentContentChangePartial(text=new, range=lsp.Range(start, end))],
            )
        )
        self.text = self.text.replace(old, new, 1)

    async def diagnostics(self) -> list[lsp.Diagnostic]:
        """The list that was published for the present version."""
        for _ in range(500):
            published = [
                item for item in self.client.published if item.uri == self.uri and item.version == self.version
            ]
            if published:
                return list(published[-1].diagnostics)
            await asyncio.sleep(0.02)
        raise AssertionError(f"no diagnostics for version {self.version}")

    async def until(self, code: str) -> list[lsp.Diagnostic]:
        """The newest list of the present version, once it holds a code: verdicts come with a second list."""
        for _ in range(500):
            lists = [item for item in self.client.published if item.uri == self.uri and item.version == self.version]
            if lists and code in [item.code for item in lists[-1].diagnostics]:
                return list(lists[-1].diagnostics)
            await asyncio.sleep(0.02)
        raise AssertionError(f"no {code} in version {self.version}")
