"""Diagnostics, hover, outline and semantic tokens over real stdio, as each editor asks for them."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.lsp.conftest import Editor

KERNEL = """// an emoji 😀 and an accent é stand before the code
#define TILE 16

__co__ void scale(global f16 [M, 64] src, global f16 [M, 64] out) {
  parallel b by [cdiv(M, TILE)] : block {
    shared event full[2], empty[2];
    shared f16 [TILE, 64] tile_s[2];
    parallel w by 1 : group-4 {}
    /* 😀 é */ dma.copy src.subspan(TILE, 64).at(b, 0) => tile_s[0];
    dma.copy tile_s[0] => out.subspan(TILE, 64).at(b, 0);
  }
}
"""
BROKEN = KERNEL.replace("/* 😀 é */ dma.copy src", "/* 😀 é */ dma.copy srk")


async def test_a_mistake_is_marked_where_it_stands(client: LanguageClient) -> None:
    editor = Editor(client, "k 1.co", BROKEN)
    found = [item for item in await editor.diagnostics() if item.severity == lsp.DiagnosticSeverity.Error]
    assert [item.code for item in found] == ["undeclared-name"]
    assert found[0].range == lsp.Range(editor.position("srk"), editor.position("srk", 3))
    assert found[0].source == "croq"
    assert found[0].code_description is not None
    assert found[0].code_description.href.endswith("/undeclared-name.md")


async def test_mending_it_empties_the_list_and_closing_clears_it(client: LanguageClient) -> None:
    editor = Editor(client, "a.co", BROKEN)
    assert await editor.diagnostics() != []
    editor.replace("srk", "src")
    assert [item for item in await editor.diagnostics() if item.severity == lsp.DiagnosticSeverity.Error] == []
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(editor.document))
    await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert list(client.published[-1].diagnostics) == []


@pytest.mark.parametrize(
    ("word", "after", "parts"),
    [
        ("tile_s[2]", 1, ["shared f16 [16, 64][2]", "2 slots of 2,048 bytes", "4,096 bytes"]),
        ("TILE, 64).at", 1, ["#define TILE 16", "line 2"]),
        ("dma.copy tile_s", 5, ["dma.copy", "tile"]),
        ("full[2]", 2, ["full: shared event[2]"]),
        ("M, 64] src", 0, ["M: dimension"]),
        ("group-4", 6, ["128"]),
    ],
)
async def test_hover_tells_types_shapes_and_operations(
    client: LanguageClient, word: str, after: int, parts: list[str]
) -> None:
    editor = Editor(client, "h.co", KERNEL)
    place = editor.position(word, after)
    hover = await client.text_document_hover_async(lsp.HoverParams(editor.document, place))
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    for part in parts:
        assert part in hover.contents.value


async def test_no_hover_in_host_text(client: LanguageClient) -> None:
    editor = Editor(client, "h.co", KERNEL)
    place = editor.position("accent")
    assert await client.text_document_hover_async(lsp.HoverParams(editor.document, place)) is None


async def test_outline(client: LanguageClient) -> None:
    editor = Editor(client, "o.co", KERNEL)
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.document))
    assert symbols is not None
    assert [item.name for item in symbols] == ["TILE", "scale"]
    kernel = symbols[1]
    assert isinstance(kernel, lsp.DocumentSymbol)
    assert [child.name for child in kernel.children or []] == ["src", "out", "full", "empty", "tile_s"]
    assert kernel.selection_range == lsp.Range(editor.position("scale"), editor.position("scale", 5))


async def test_semantic_tokens_tell_kinds_of_names_apart(client: LanguageClient) -> None:
    editor = Editor(client, "s.co", KERNEL)
    legend = client.initialized.capabilities.semantic_tokens_provider.legend.token_types
    answer = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(editor.document))
    assert answer is not None
    line = column = 0
    seen: dict[tuple[int, int], tuple[int, str]] = {}
    for down, right, length, kind, _ in zip(*[iter(answer.data)] * 5, strict=True):
        line, column = line + down, right if down else column + right
        seen[line, column] = (length, legend[kind])

    def at(word: str, after: int = 0) -> tuple[int, str]:
        place = editor.position(word, after)
        return seen[place.line, place.character]

    assert at("full[2]") == (4, "event")
    assert at("tile_s[2]") == (6, "buffer")
    assert at("src.subspan") == (3, "parameter")
    assert at("M, 64] src") == (1, "dimension")
    assert at("TILE, 64).at") == (4, "macro")
    assert at("b, 0) => tile_s") == (1, "index")
    assert at("shared event") == (6, "modifier")
    assert at("f16 [M, 64] src") == (3, "type")
    assert at("64] src") == (2, "number")
    assert at("group-4") == (7, "keyword")


async def test_settings_are_followed_live(client: LanguageClient) -> None:
    editor = Editor(client, "w.co", KERNEL.replace("#define TILE 16\n", ""))
    assert "undeclared-name" in [item.code for item in await editor.diagnostics()]
    settings = {"croqtile": {"defines": {"TILE": "16"}}}
    client.set_configuration(settings)
    count = len(client.published)
    client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
    for _ in range(100):
        if len(client.published) > count:
            break
        await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert "undeclared-name" not in [item.code for item in await editor.diagnostics()]
