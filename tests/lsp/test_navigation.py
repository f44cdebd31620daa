"""Going to places over the wire: names, rename, highlights, call hierarchy; behind an emoji, in broken code."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.cli.seeds import PIPELINE
from tests.lsp.conftest import Editor

TEXT = """#define TILE 8
/* 😀 é° */ __co__ void f(global f32 [M, 8] src, global f32 [M, 8] dst) {
  parallel b by [M / TILE] : block {
    /* 😀 */ shared f32 [TILE, 8] tile; dma.copy src.subspan(TILE, 8).at(b, 0) => tile;
    /* é */ dma.copy tile => dst.subspan(TILE, 8).at(b, 0);
  }
}
"""


def at(editor: Editor, line: int, word: str, length: int | None = None) -> lsp.Range:
    """The first place of a word in a line or behind it, lines counted from 0, in the client's units."""
    lines = editor.text.split("\n")
    place = editor.text.index(word, sum(len(text) + 1 for text in lines[:line]))
    return lsp.Range(editor.place(place), editor.place(place + (len(word) if length is None else length)))


async def test_definition_and_references_of_a_buffer_behind_an_emoji(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    place = at(editor, 4, "tile").start
    found = await client.text_document_definition_async(lsp.DefinitionParams(editor.document, place))
    declared = at(editor, 3, "tile;", 4)
    assert found == [lsp.Location(editor.uri, declared)]
    same = await client.text_document_declaration_async(lsp.DeclarationParams(editor.document, place))
    assert same == found
    context = lsp.ReferenceContext(include_declaration=False)
    uses = await client.text_document_references_async(lsp.ReferenceParams(context, editor.document, place))
    assert uses is not None
    assert [use.range for use in uses] == [at(editor, 3, "tile;\n", 4), at(editor, 4, "tile")]


async def test_type_definition_of_an_index_is_its_extent(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    params = lsp.TypeDefinitionParams(editor.document, at(editor, 2, "b by").start)
    found = await client.text_document_type_definition_async(params)
    assert found == [lsp.Location(editor.uri, at(editor, 1, "M, 8] src", 1))]


async def test_rename_of_a_dimension_and_what_is_refused(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    place = at(editor, 2, "M").start
    prepared = await client.text_document_prepare_rename_async(lsp.PrepareRenameParams(editor.document, place))
    assert prepared == lsp.PrepareRenamePlaceholder(at(editor, 2, "M"), "M")
    edit = await client.text_document_rename_async(lsp.RenameParams(editor.document, place, "Rows"))
    assert edit is not None
    edits = list(edit.changes[editor.uri]) if edit.changes else list(edit.document_changes[0].edits)  # type: ignore
    assert [(one.range, one.new_text) for one in edits] == [
        (at(editor, 1, "M, 8] src", 1), "Rows"),
        (at(editor, 1, "M, 8] dst", 1), "Rows"),
        (at(editor, 2, "M"), "Rows"),
    ]
    with pytest.raises(JsonRpcException, match="'tile' is already the buffer of line 4") as refused:
        await client.text_document_rename_async(lsp.RenameParams(editor.document, place, "tile"))
    assert refused.value.code == -32803
    word = lsp.PrepareRenameParams(editor.document, at(editor, 2, "parallel").start)
    with pytest.raises(JsonRpcException, match="there is no name to rename here"):
        await client.text_document_prepare_rename_async(word)
    provider = client.initialized.capabilities.rename_provider
    assert provider is True or (isinstance(provider, lsp.RenameOptions) and provider.prepare_provider)


async def test_highlights_of_names_and_of_what_the_flow_pairs(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", PIPELINE)
    kind = lsp.DocumentHighlightKind

    async def lit(word: str) -> list[tuple[str, lsp.DocumentHighlightKind | None]]:
        params = lsp.DocumentHighlightParams(editor.document, editor.position(word, 1))
        found = await client.text_document_document_highlight_async(params)
        lines = PIPELINE.split("\n")
        return [(lines[one.range.start.line].strip(), one.kind) for one in found or ()]

    assert await lit("wait empty") == [
        ("wait empty[stage];", kind.Read),
        ("trigger empty[s];", kind.Write),
        ("trigger empty[stage];", kind.Write),
    ]
    assert [one[1] for one in await lit("full[")] == [kind.Write, kind.Write, kind.Read]
    editor.replace("trigger full[stage];", "trigger full[;")
    assert await lit("wait empty") == []


async def test_who_gives_this_credit_and_who_takes_it(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", "// 😀\n" + PIPELINE)
    params = lsp.CallHierarchyPrepareParams(editor.document, editor.position("trigger full", 1))
    found = await client.text_document_prepare_call_hierarchy_async(params)
    assert found is not None and [item.name for item in found] == ["full"]
    assert found[0].selection_range.start == editor.position("full[")
    gives = await client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(found[0]))
    takes = await client.call_hierarchy_outgoing_calls_async(lsp.CallHierarchyOutgoingCallsParams(found[0]))
    assert gives is not None and takes is not None
    assert [call.from_.name for call in gives] == ["path p1 == 0"]
    assert [call.to.name for call in takes] == ["path p1 == 1"]
    assert gives[0].from_ranges[0].start == editor.position("trigger full", len("trigger "))
    back = await client.call_hierarchy_incoming_calls_async(lsp.CallHierarchyIncomingCallsParams(gives[0].from_))
    assert back is not None and [call.from_.name for call in back] == ["empty"]


async def test_a_document_that_does_not_parse_is_still_known(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT.replace("=> dst.subspan(TILE, 8).at(b, 0);", "=> dst.("))
    params = lsp.DefinitionParams(editor.document, at(editor, 4, "tile").start)
    found = await client.text_document_definition_async(params)
    assert found == [lsp.Location(editor.uri, at(editor, 3, "tile;", 4))]
