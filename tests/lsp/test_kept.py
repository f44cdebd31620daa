"""What is kept of functions that did not change, their symbols and their format, is what is made anew."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from lsprotocol import types as lsp

from croqc.syntax import formatter
from croqc.text.source import Encoding
from croqls.lsp.requests import document_symbol, formatting
from croqls.lsp.serve import make_server
from croqls.lsp.server import CroqtileServer
from tests.lsp.positions import edited
from tests.lsp.sessions.mutate import SMALL, draw_changes

URI = "untitled:k.co"
DOCUMENT = lsp.TextDocumentIdentifier(URI)
OPTIONS = lsp.FormattingOptions(tab_size=2, insert_spaces=True)


@pytest.fixture(autouse=True)
def no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is told anything, and nobody has said what they take."""
    monkeypatch.setattr(CroqtileServer, "client_capabilities", property(lambda _: lsp.ClientCapabilities()))
    monkeypatch.setattr(CroqtileServer, "window_show_message", lambda *_: None)


def symbols(server: CroqtileServer) -> Any:
    return document_symbol.text_document_symbol(server, lsp.DocumentSymbolParams(DOCUMENT))


async def edits(server: CroqtileServer) -> Any:
    return await formatting.text_document_formatting(server, lsp.DocumentFormattingParams(DOCUMENT, OPTIONS))


@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("seed", range(4))
async def test_what_is_kept_is_what_is_made_anew(seed: int, encoding: Encoding) -> None:
    """Over random edits: functions move, change, vanish, come twice, share a line with other text."""
    draw = Random(f"kept {seed}")
    server = make_server()
    server.documents.encoding = encoding
    text = "".join(draw.choice(SMALL) + draw.choice(("", "\n", "/* 😀 */ ")) for _ in range(4))
    server.documents.open(URI, 1, text)
    for version in range(2, 22):
        text = edited(text, draw_changes(draw, text, text, encoding.value), encoding.value)
        server.documents.change(URI, version, [lsp.TextDocumentContentChangeWholeDocument(text)])
        fresh = make_server()
        fresh.documents.encoding = encoding
        fresh.documents.open(URI, version, text)
        assert symbols(server) == symbols(fresh)
        assert await edits(server) == await edits(fresh)


WITH_MACROS = """#define A {0}
#define B {1}
__co__ void f(global s32 [8] x) {{
   x.at(0)  =  A   B ;
}}
"""


async def test_of_a_macro_counts_what_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its value does not, of which a format knows nothing; where its tokens stand and of what kind they are does."""
    server, made = make_server(), list[str]()
    format_of = formatter._Formatter.edits

    def edits_made(self: Any) -> Any:
        made.append("made")
        return format_of(self)

    monkeypatch.setattr(formatter._Formatter, "edits", edits_made)
    server.documents.open(URI, 1, WITH_MACROS.format("1 +", "2"))
    await edits(server)
    counts = []
    for version, bodies in enumerate((("7 +", "8"), ("7", "+ 8"), ("x.at(1) +", "2")), 2):
        text = WITH_MACROS.format(*bodies)
        server.documents.change(URI, version, [lsp.TextDocumentContentChangeWholeDocument(text)])
        made.clear()
        found = await edits(server)
        counts.append(len(made))
        fresh = make_server()
        fresh.documents.open(URI, 1, text)
        assert found == await edits(fresh)
    assert counts == [0, 1, 1]


def test_with_a_glance_functions_are_known_by_their_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whichever reading they are; what comes of a glance is not kept."""
    server = make_server()
    server.documents.open(URI, 1, WITH_MACROS.format(1, 2))
    first, kept = symbols(server), server.outlines[URI]
    for value in (3, 4):
        server.documents.change(URI, value, [lsp.TextDocumentContentChangeWholeDocument(WITH_MACROS.format(value, 2))])
        snapshot = server.documents.get(URI)
        assert snapshot is not None
        assert symbols(server)[2] is not first[2]  # all of it is read, and its macro has another value
        server.outlines[URI] = kept
        snapshot.keep(snapshot.report, lent=True)
        assert symbols(server)[2] is first[2]
        assert server.outlines[URI] is kept


TWO = """__co__ void f(global s32 [8] x) {{
   x.at(0)  =  {0};
}}
__co__ void g(global s32 [8] y) {{
   y.at(0) = 1;
}}
"""


async def test_only_what_has_changed_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a symbol of what has moved, whose format stays. What is closed is forgotten."""
    made: list[str] = []
    outline_of = document_symbol.outline_of

    def outlined(report: Any) -> Any:
        made.append(f"symbol {report.name}")
        return outline_of(report)

    class Formatter(formatter._Formatter):
        def __init__(self, text: str, function: Any) -> None:
            made.append(f"format {function.tree.name.id}")
            super().__init__(text, function)

    monkeypatch.setattr(document_symbol, "outline_of", outlined)
    monkeypatch.setattr(formatter, "_Formatter", Formatter)
    server = make_server()

    async def asked(text: str, version: int) -> list[str]:
        if version == 1:
            server.documents.open(URI, 1, text)
        else:
            server.documents.change(URI, version, [lsp.TextDocumentContentChangeWholeDocument(text)])
        made.clear()
        symbols(server)
        await edits(server)
        return sorted(made)

    assert await asked(TWO.format(1), 1) == ["format f", "format g", "symbol f", "symbol g"]
    assert await asked(TWO.format(1), 2) == []
    assert await asked(TWO.format(2), 3) == ["format f", "symbol f"]
    assert await asked(f"// above\n{TWO.format(2)}", 4) == ["symbol f", "symbol g"]
    assert await asked(f"// above\n{TWO.format(2)}".replace("\n__co__ void g", "\n  __co__ void g"), 5) == [
        "format g",
        "symbol g",
    ]
    server.documents.close(URI)
    assert await asked(TWO.format(1), 1) == ["format f", "format g", "symbol f", "symbol g"]
