"""Code lenses over the wire: over the function's name, with its address and name as arguments."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from croqc.service.machine import has_driver
from croqls.lsp.requests import code_lens
from croqls.lsp.serve import make_server
from tests.lsp.conftest import Editor

TEXT = "/* 😀 é */ __co__ void scale(global f32 [N] x) {\n  parallel i by N : thread x.at(i) = 1.0f; ) (\n}\n"


async def test_lenses_stand_over_the_name_and_carry_their_function(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    found = await client.text_document_code_lens_async(lsp.CodeLensParams(editor.document))
    assert found is not None
    place = lsp.Range(editor.position("scale"), editor.position("scale", len("scale")))
    assert {(lens.range.start.line, lens.range.start.character) for lens in found} == {(0, place.start.character)}
    assert [lens.range for lens in found] == [place] * len(found)
    commands = [lens.command for lens in found]
    assert all(command is not None and list(command.arguments or ()) == [editor.uri, "scale"] for command in commands)
    run = commands[0]
    assert run is not None and run.command == "croqtile.run"
    assert run.title == ("▶ Run on GPU" if has_driver() else "▶ Run (simulator)")


async def test_settings_that_come_while_the_card_is_looked_for_leave_the_lenses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the start of a session both happen at once, and an editor asks once."""
    server = make_server()
    server.documents.open("file:///k.co", 1, TEXT)
    monkeypatch.setattr(code_lens, "_card", lambda: bool(server.documents.open("file:///k.co", 1, TEXT)))
    params = lsp.CodeLensParams(lsp.TextDocumentIdentifier("file:///k.co"))
    found = await code_lens.text_document_code_lens(server, params)
    assert [lens.command.title for lens in found if lens.command][:2] == ["▶ Run on GPU", "✓ Verify"]
