"""Hovers over the wire: the credit flow of the course's kernel, on its events, waits, triggers and stage buffers."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.lsp.conftest import Editor

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
