"""Completion in code over the wire: edits behind an emoji, documentation when asked for, patterns, broken code."""

from __future__ import annotations

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from croqls.lsp.requests.completion import text_document_completion
from croqls.lsp.requests.lifecycle import initialize
from croqls.lsp.serve import make_server
from tests.lsp.conftest import Editor, text_of

TEXT = """/* 😀 é */ __co__ void f(global f32 [M] x) {
  parallel b by 1 : block {
    shared event full[2], empty[2];
    /* 😀 é */ wait fu
"""


async def items(client: LanguageClient, editor: Editor, place: lsp.Position) -> list[lsp.CompletionItem]:
    found = await client.text_document_completion_async(lsp.CompletionParams(editor.document, place))
    assert isinstance(found, list)
    return found


async def test_events_behind_wait_in_code_that_is_being_typed(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    end = editor.position("wait fu", len("wait fu"))
    found = await items(client, editor, end)
    assert [item.label for item in found] == ["empty", "full"] or [item.label for item in found] == ["full", "empty"]
    full = next(item for item in found if item.label == "full")
    assert full.kind == lsp.CompletionItemKind.Event
    assert full.text_edit == lsp.TextEdit(lsp.Range(editor.position("wait fu", len("wait ")), end), "full")


async def test_documentation_comes_when_it_is_asked_for(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT.replace("wait fu", "tma."))
    found = await items(client, editor, editor.position("tma.", 4))
    copy = next(item for item in found if item.label == "copy")
    assert copy.documentation is None
    resolved = await client.completion_item_resolve_async(copy)
    assert "Copies a box by TMA" in text_of(resolved.documentation)


async def test_a_pattern_has_place_holders_where_the_client_knows_them(client: LanguageClient) -> None:
    editor = Editor(client, "new.co", "1p")
    found = await items(client, editor, lsp.Position(0, 2))
    first = found[0]
    assert (first.label, first.kind) == ("1p1c", lsp.CompletionItemKind.Snippet)
    assert isinstance(first.text_edit, lsp.TextEdit)
    if first.insert_text_format == lsp.InsertTextFormat.Snippet:
        assert "void ${1:matmul}(" in first.text_edit.new_text
    else:
        assert "void matmul(" in first.text_edit.new_text and "$" not in first.text_edit.new_text


async def test_a_client_with_patterns_of_its_own_gets_no_second_ones() -> None:
    server = make_server()
    options = {"ownPatterns": True}
    initialize(server, lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), initialization_options=options))
    server.documents.open("file:///k.co", 1, "")
    params = lsp.CompletionParams(lsp.TextDocumentIdentifier("file:///k.co"), lsp.Position(0, 0))
    assert text_document_completion(server, params) == []


async def test_the_editor_asks_behind_dots_and_brackets(client: LanguageClient) -> None:
    options = client.initialized.capabilities.completion_provider
    assert options is not None and options.resolve_provider
    assert {".", "[", "("} <= set(options.trigger_characters)
