"""Semantic tokens by difference and by range, over real stdio."""

from __future__ import annotations

from random import Random

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from croqc.text.source import Encoding
from croqls.lsp.requests.semantic_tokens import semantic_tokens_full
from croqls.lsp.serve import make_server
from tests.lsp.conftest import Editor
from tests.lsp.positions import edited
from tests.lsp.sessions.mutate import SMALL, draw_changes

URI = "untitled:tokens.co"

KERNEL = """__co__ void f(global s32 [8] x) {
  parallel p by 8 : thread {
    x.at(p) = 1;
  }
}
__co__ void g(global s32 [8] y) {
  y.at(0) = 2;
}
"""


async def full(client: LanguageClient, editor: Editor) -> lsp.SemanticTokens:
    found = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(editor.document))
    assert found is not None
    return found


async def test_a_delta_makes_the_new_tokens_of_the_old_ones(client: LanguageClient) -> None:
    editor = Editor(client, "d.co", KERNEL)
    before = await full(client, editor)
    editor.replace("x.at(p) = 1;", "x.at(p) = 1 + p;")
    params = lsp.SemanticTokensDeltaParams(editor.document, str(before.result_id))
    found = await client.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(found, lsp.SemanticTokensDelta)
    (edit,) = found.edits
    data = list(before.data)
    data[edit.start : edit.start + edit.delete_count] = list(edit.data or [])
    after = await full(client, editor)
    assert data == list(after.data)
    assert len(edit.data or []) < 20
    assert after.result_id != before.result_id


async def test_an_unknown_answer_is_answered_with_everything(client: LanguageClient) -> None:
    editor = Editor(client, "d.co", KERNEL)
    before = await full(client, editor)
    params = lsp.SemanticTokensDeltaParams(editor.document, "of another session")
    found = await client.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(found, lsp.SemanticTokens)
    assert found.data == before.data


async def test_nothing_changed_is_no_edit(client: LanguageClient) -> None:
    editor = Editor(client, "d.co", KERNEL)
    before = await full(client, editor)
    params = lsp.SemanticTokensDeltaParams(editor.document, str(before.result_id))
    found = await client.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(found, lsp.SemanticTokensDelta)
    assert list(found.edits) == []


async def test_a_range_has_its_own_tokens_alone(client: LanguageClient) -> None:
    editor = Editor(client, "r.co", KERNEL)
    everything = await full(client, editor)
    line = KERNEL[: KERNEL.index("y.at")].count("\n")
    place = lsp.Range(lsp.Position(line, 0), lsp.Position(line + 1, 0))
    params = lsp.SemanticTokensRangeParams(editor.document, place)
    found = await client.text_document_semantic_tokens_range_async(params)
    assert found is not None
    assert list(found.data[:3]) == [line, 2, 1]  # `y`, counted from the start of the text
    rows = [list(everything.data[at : at + 5]) for at in range(0, len(everything.data), 5)]
    assert [list(found.data[at : at + 5]) for at in range(5, len(found.data), 5)] == rows[-len(found.data) // 5 + 1 :]


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("seed", range(4))
async def test_what_is_kept_of_functions_is_what_is_made_anew(seed: int, encoding: Encoding) -> None:
    """Over random edits: functions move, change, vanish, share a line with other text."""
    draw = Random(f"tokens {seed}")
    server = make_server()
    server.documents.encoding = encoding
    text = "".join(draw.choice(SMALL) + draw.choice(("", "\n", "/* 😀 */ ")) for _ in range(4))
    server.documents.open(URI, 1, text)
    for version in range(2, 22):
        changes = draw_changes(draw, text, text, encoding.value)
        text = edited(text, changes, encoding.value)
        server.documents.change(URI, version, [lsp.TextDocumentContentChangeWholeDocument(text)])
        fresh = make_server()
        fresh.documents.encoding = encoding
        fresh.documents.open(URI, version, text)
        asked = lsp.SemanticTokensParams(lsp.TextDocumentIdentifier(URI))
        assert (await semantic_tokens_full(server, asked)).data == (await semantic_tokens_full(fresh, asked)).data
