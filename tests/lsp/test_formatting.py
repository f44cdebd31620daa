"""Formatting over real stdio: small edits that make what `croq fmt` makes, nothing on broken code but a message."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from croqc.service.format import format_text
from tests.lsp.conftest import Editor

OPTIONS = lsp.FormattingOptions(tab_size=8, insert_spaces=False)
UGLY = (
    "// é 😀 stays   as it is\r\n"
    "__co__ void first(global s32 [8] x) {\r\n"
    "    parallel p by 8 : thread {\r\n"
    "  /* 😀 */   x.at(p)   =   p;   // why\r\n"
    "    }\r\n"
    "}\r\n"
    "__co__ void second(global s32 [8] x) {\r\n"
    "      x.at(0)  =  1;\r\n"
    "}\r\n"
)
NEAT = (
    "// é 😀 stays   as it is\r\n"
    "__co__ void first(global s32 [8] x) {\r\n"
    "  parallel p by 8 : thread {\r\n"
    "    /* 😀 */ x.at(p) = p;   // why\r\n"
    "  }\r\n"
    "}\r\n"
    "__co__ void second(global s32 [8] x) {\r\n"
    "  x.at(0) = 1;\r\n"
    "}\r\n"
)


async def formatted(client: LanguageClient, editor: Editor) -> list[lsp.TextEdit] | None:
    found = await client.text_document_formatting_async(lsp.DocumentFormattingParams(editor.document, OPTIONS))
    return None if found is None else list(found)


async def test_formatting_keeps_comments_line_ends_and_everything_in_order(client: LanguageClient) -> None:
    editor = Editor(client, "f.co", UGLY)
    edits = await formatted(client, editor)
    assert edits is not None
    assert editor.applied(edits) == NEAT
    assert max(len(edit.new_text) for edit in edits) <= len("\r\n    ")
    again = Editor(client, "g.co", NEAT)
    assert await formatted(client, again) == []


async def test_a_range_formats_what_it_touches(client: LanguageClient) -> None:
    editor = Editor(client, "r.co", UGLY)
    place = lsp.Range(editor.position("      x.at(0)"), editor.position("1;"))
    found = await client.text_document_range_formatting_async(
        lsp.DocumentRangeFormattingParams(editor.document, place, OPTIONS)
    )
    assert found is not None
    half = UGLY.index("__co__ void second")
    assert editor.applied(found) == UGLY[:half] + NEAT[NEAT.index("__co__ void second") :]


async def test_broken_code_gets_no_edits_and_a_message(client: LanguageClient) -> None:
    editor = Editor(client, "b.co", UGLY.replace("x.at(0)  =  1;", "x.at(0  =  ;"))
    assert await formatted(client, editor) is None
    for _ in range(200):
        if client.messages:
            break
        await asyncio.sleep(0.02)
    assert [one.message for one in client.messages] == ["not formatted: syntax errors in 'second'; mend them first"]
    place = lsp.Range(editor.position("    parallel"), editor.position("// why"))
    found = await client.text_document_range_formatting_async(
        lsp.DocumentRangeFormattingParams(editor.document, place, OPTIONS)
    )
    assert found  # the sound function beside it


async def test_the_editor_makes_what_the_command_line_makes(client: LanguageClient) -> None:
    for path in sorted(Path("examples").glob("pipeline*.co")):
        editor = Editor(client, path.name, path.read_text(encoding="utf-8"))
        edits = await formatted(client, editor)
        assert edits is not None
        assert editor.applied(edits) == format_text(editor.text).text


async def test_an_empty_file_stays_empty(client: LanguageClient) -> None:
    editor = Editor(client, "e.co", "")
    assert await formatted(client, editor) == []
