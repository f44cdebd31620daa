"""Inlay hints over the wire: places behind an emoji, a range, settings, typing."""

from __future__ import annotations

import asyncio

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from croqls.lsp.settings import read_hints
from tests.lsp.conftest import Editor

TEXT = """__co__ void f(global f16 [M, 64] src) {
  parallel b by [M / 64] : block {
    /* 😀 é */ shared f16 [64, 64] tile[2];
    /* 😀 */ row = src.subspan(1, 64).at(0, 0);
  }
}
"""


async def hints(client: LanguageClient, editor: Editor, last: int = 99) -> list[tuple[str, lsp.Position]]:
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(last, 0))
    found = await client.text_document_inlay_hint_async(lsp.InlayHintParams(editor.document, whole))
    return [(str(hint.label), hint.position) for hint in found or ()]


async def test_hints_stand_behind_their_words_and_follow_range_and_settings(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    tile = ("2 × 8 KiB = 16 KiB", editor.position("tile[2]", len("tile[2]")))
    row = (": global f16 [1, 64]", editor.position("row =", len("row")))
    assert await hints(client, editor) == [tile, row]
    assert await hints(client, editor, last=3) == [tile]
    settings = {"croqtile": {"inlayHints": {"types": False}}}
    client.set_configuration(settings)
    client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(settings))
    for _ in range(100):  # until the server has asked for the settings
        if len(await hints(client, editor)) == 1:
            break
        await asyncio.sleep(0.02)
    assert await hints(client, editor) == [tile]


async def test_hints_stay_while_another_line_is_typed(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    before = await hints(client, editor)
    editor.replace("row = src.subspan(1, 64).at(0, 0);", "row = src.(((")
    assert len(before) == 2 and await hints(client, editor) == before


def test_each_kind_is_a_setting_and_what_is_unknown_is_named() -> None:
    kinds, warnings = read_hints({"inlayHints": {"slots": False, "types": 1, "typs": True}})
    assert {kind.value for kind in kinds} == {"types", "sharedMemory", "paths"}
    assert warnings == (
        "unknown setting 'croqtile.inlayHints.typs'; did you mean 'types'?",
        "setting 'croqtile.inlayHints.types' is 1; known are true, false",
    )
    assert read_hints({"inlayHints": 3})[1] == (
        "setting 'croqtile.inlayHints' must map kinds of hints to true or false",
    )
    assert len(read_hints(None)[0]) == 4
