"""Signature help over the wire, behind an emoji and in code that does not parse."""

from __future__ import annotations

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.lsp.bare import Server
from tests.lsp.conftest import Editor, text_of

TEXT = "__co__ void f(global f32 [M] x) {\n  /* 😀 é */ x.at(0) = __max(x.at(1), \n}\n"


async def test_the_parameter_at_the_cursor(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", TEXT)
    place = editor.position("x.at(1), ", len("x.at(1), "))
    found = await client.text_document_signature_help_async(lsp.SignatureHelpParams(editor.document, place))
    assert found is not None and found.active_parameter == 1
    shown = found.signatures[found.active_signature or 0]
    assert shown.label.startswith("__max(a, b)")
    assert "larger of two" in text_of(shown.documentation)
    assert shown.parameters is not None
    labels = [one.label for one in shown.parameters]
    assert labels in (["a", "b"], [(6, 7), (9, 10)])
    nowhere = lsp.SignatureHelpParams(editor.document, lsp.Position(0, 0))
    assert await client.text_document_signature_help_async(nowhere) is None


def test_no_signature_says_that_no_parameter_is_active(server: Server) -> None:
    """Which null would mean, and only to clients that know it (LSP 3.18); the number is that of the whole answer."""
    server.start()
    server.open("untitled:k.co", TEXT)
    line = TEXT.split("\n")[1]
    place = {"line": 1, "character": len(line.encode("utf-16-le")) // 2}
    found = server.ask("textDocument/signatureHelp", {"textDocument": {"uri": "untitled:k.co"}, "position": place})
    assert [one["activeParameter"] for one in found["signatures"]] == [1] * len(found["signatures"])
    assert found["activeParameter"] == 1
