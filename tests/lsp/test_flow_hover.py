"""Hovers over the wire: the credit flow of the course's kernel, on its events, waits, triggers and stage buffers."""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient, client_capabilities

from croqc.text.span import Span
from croqls.ide.hover import Hover
from croqls.lsp.requests.hover import text_document_hover
from croqls.lsp.serve import make_server
from croqls.lsp.server import CroqtileServer
from croqls.workers.flow_orders import Reply
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.lsp.conftest import CONFIG, Editor

ROW = "| iv_k = 2 | 0 | 1 | 1 | 0 | 1 | 0 |"  # iteration 2: slot 0, generation 1, parity 1, then 0; bit 1; no credit


async def hover(client: LanguageClient, editor: Editor, word: str, after: int = 0) -> str:
    params = lsp.HoverParams(editor.document, editor.position(word, after))
    found = await client.text_document_hover_async(params)
    assert found is not None
    assert isinstance(found.contents, lsp.MarkupContent)
    return found.contents.value


@pytest.mark.parametrize(
    ("word", "after", "parts"),
    [
        ("empty[MATMUL", 1, ["empty: shared event[2]", "Credit flow proved for every K", "2 credits at start", ROW]),
        ("wait full", 1, ["path `p1 == 0`", ROW]),
        ("trigger full", 1, ["`mbarrier.arrive.expect_tx` with 32,768 bytes"]),
        (
            "lhs_load_s[MATMUL",
            1,
            ["2 slots of 16,384 bytes", "| iv_k = 2 | 0 | 1 | path `p1 == 0`, after `wait empty[0]`"],
        ),
    ],
)
async def test_the_credit_flow_is_told(client: LanguageClient, word: str, after: int, parts: list[str]) -> None:
    editor = Editor(client, "k.co", PIPELINE)
    text = await hover(client, editor, word, after)
    assert [part for part in parts if part not in text] == []


async def test_a_kernel_that_fails_says_so(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", PIPELINE.replace(BOOTSTRAP, ""))
    text = await hover(client, editor, "wait empty", 1)
    assert "Credit flow fails: 1 finding" in text
    assert "No credits at start." in text


async def test_places_are_links_into_the_document(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", PIPELINE)
    line = PIPELINE[: PIPELINE.index("trigger full")].count("\n") + 1
    assert f"[{line}]({editor.uri}#L{line})" in await hover(client, editor, "full[MATMUL", 1)


async def test_there_is_no_picture_for_a_client_that_did_not_ask(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", PIPELINE)
    assert "![" not in await hover(client, editor, "wait empty", 1)


async def test_the_loop_answers_others_while_a_hover_waits_for_the_verifier(client: LanguageClient) -> None:
    """The verdict process has not even started when the hover is asked for; symbols are asked for behind it."""
    editor = Editor(client, "k.co", PIPELINE)
    answered: list[str] = []

    async def told() -> str:
        text = await hover(client, editor, "wait full", 1)
        answered.append("hover")
        return text

    async def symbols() -> None:
        await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.document))
        answered.append("symbols")

    text, _ = await asyncio.gather(told(), symbols())
    assert answered == ["symbols", "hover"]
    assert ROW in text


async def test_after_an_edit_a_hover_tells_of_the_present_text(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", PIPELINE)
    assert "Credit flow proved for every K" in await hover(client, editor, "wait empty", 1)
    editor.replace(BOOTSTRAP, "")
    assert "No credits at start." in await hover(client, editor, "wait empty", 1)


async def test_a_name_beside_the_flow_is_answered_without_the_verdict_process(monkeypatch: pytest.MonkeyPatch) -> None:
    server = opened()

    async def ask(*_: object) -> Reply:
        raise AssertionError("asked")

    monkeypatch.setattr(server.flow, "ask", ask)
    found = await text_document_hover(server, at("lhs.subspan"))
    assert found is not None
    with pytest.raises(AssertionError, match="asked"):
        await text_document_hover(server, at("wait full"))


async def test_without_the_verdict_process_a_hover_says_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    server = opened()

    async def ask(*_: object) -> Reply:
        return Reply(1, None, "the credit-flow process died")

    monkeypatch.setattr(server.flow, "ask", ask)
    found = await text_document_hover(server, at("empty[MATMUL"))
    assert found is not None
    assert isinstance(found.contents, lsp.MarkupContent)
    assert "empty: shared event[2]" in found.contents.value
    assert "redit flow" not in found.contents.value


async def test_an_answer_about_a_text_that_is_gone_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    server = opened()

    async def ask(*_: object) -> Reply:
        server.documents.change("file:///k.co", 2, [lsp.TextDocumentContentChangeWholeDocument("")])
        return Reply(1, Hover("credit flow", Span(0, 1)))

    monkeypatch.setattr(server.flow, "ask", ask)
    assert await text_document_hover(server, at("wait full")) is None


def opened() -> CroqtileServer:
    """A server in this process whose client says nothing of itself, with one document."""
    server = make_server()
    server.protocol.client_capabilities = lsp.ClientCapabilities()
    server.documents.open("file:///k.co", 1, PIPELINE)
    return server


def at(word: str) -> lsp.HoverParams:
    before = PIPELINE[: PIPELINE.index(word) + 1]
    place = lsp.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)
    return lsp.HoverParams(lsp.TextDocumentIdentifier("file:///k.co"), place)


@pytest_lsp.fixture(config=CONFIG)
async def pictured(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    """A client that shows images in hovers."""
    await lsp_client.initialize_session(
        lsp.InitializeParams(
            capabilities=client_capabilities("neovim"), root_uri=None, initialization_options={"hoverImages": True}
        )
    )
    lsp_client.initialized = lsp.InitializeResult(lsp.ServerCapabilities(position_encoding="utf-16"))
    lsp_client.folder = tmp_path
    yield
    await lsp_client.shutdown_session()


async def test_a_client_that_shows_images_gets_the_timeline(pictured: LanguageClient) -> None:
    editor = Editor(pictured, "k.co", PIPELINE)
    text = await hover(pictured, editor, "wait full", 1)
    data = re.search(r"!\[timeline of the credit flow\]\(data:image/svg\+xml;base64,([^)]+)\)", text)
    assert data is not None
    assert b64decode(data[1]).decode("utf-8").startswith("<svg ")
