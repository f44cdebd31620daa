"""Completion and hover inside `// croq: …` over the wire."""

from __future__ import annotations

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.lsp.conftest import Editor

TEXT = """/* 😀 */ // croq: allow lossy-conv
__co__ void f(global f32 [8] x, global f16 [8] y) {
  y.at(0) = x.at(0);
}
"""


async def test_a_rule_is_completed_and_explained_behind_an_emoji(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    end = editor.position("lossy-conv", len("lossy-conv"))
    found = await client.text_document_completion_async(lsp.CompletionParams(editor.document, end))
    assert isinstance(found, list)
    item = next(item for item in found if item.label == "lossy-conversion")
    assert isinstance(item.text_edit, lsp.TextEdit)
    assert item.text_edit == lsp.TextEdit(lsp.Range(editor.position("lossy-conv"), end), "lossy-conversion")
    hover = await client.text_document_hover_async(lsp.HoverParams(editor.document, editor.position("allow", 2)))
    assert hover is not None and isinstance(hover.contents, lsp.MarkupContent)
    assert "// croq: allow RULE[, RULE]" in hover.contents.value
    options = client.initialized.capabilities.completion_provider
    assert options is not None and " " in options.trigger_characters


async def test_other_places_offer_nothing(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT.replace("y.at", "// y.at"))
    found = await client.text_document_completion_async(lsp.CompletionParams(editor.document, editor.position("y.at")))
    assert found == []
