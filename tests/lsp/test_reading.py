"""Long documents are read beside the loop: others are served meanwhile, and of versions only the newest counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types as lsp

from croqc.service.check import FileReport, check_text
from croqls.ide.snapshot import Snapshot
from croqls.lsp.documents import Documents
from croqls.lsp.reading import Reading
from tests.lsp.bare import Server

SMALL = "__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { x.at(p) = zz; }\n}\n"
COUNT = 300
BODY = "  parallel p by N : thread { x.at(p) = N; }\n" * 8


def long_text(size: int, count: int = COUNT) -> str:
    """A text in which the first line concerns every function."""
    functions = (f"__co__ void f{number}(global s32 [N] x) {{\n{BODY}}}\n" for number in range(count))
    return f"#define N {size}\n{''.join(functions)}"


def symbols(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}}


def answers(server: Server, count: int) -> dict[int, dict[str, Any]]:
    """The next answers, in the order in which they come."""
    found: dict[int, dict[str, Any]] = {}
    while len(found) < count:
        message = server.read()
        if "method" not in message:
            found[message["id"]] = message
    return found


def listed(server: Server, uri: str) -> list[int]:
    """The versions of a document that have had a list so far."""
    shown = [one["params"] for one in server.heard if one["method"] == "textDocument/publishDiagnostics"]
    return [one["version"] for one in shown if one["uri"] == uri]


def test_others_are_served_while_a_long_document_is_read(server: Server) -> None:
    """Opened, and edited at a place that concerns all of it; a request that is cancelled meanwhile is answered so."""
    server.start()
    server.open("untitled:small.co", SMALL)
    server.open("untitled:long.co", long_text(16))
    server.send("textDocument/documentSymbol", 500, params=symbols("untitled:long.co"))
    server.send("textDocument/documentSymbol", 501, params=symbols("untitled:small.co"))
    found = answers(server, 2)
    assert list(found) == [501, 500]
    assert [len(found[number]["result"]) for number in (501, 500)] == [1, COUNT + 1]
    server.edit("untitled:long.co", 2, long_text(32))
    server.send(
        "textDocument/hover", 502, params=symbols("untitled:long.co") | {"position": {"line": 0, "character": 9}}
    )
    server.send("croqtile/document", 503, params=symbols("untitled:long.co"))
    server.send("textDocument/documentSymbol", 504, params=symbols("untitled:small.co"))
    server.send("$/cancelRequest", params={"id": 502})
    found = answers(server, 3)
    assert list(found)[-1] == 503
    assert found[502]["error"]["code"] == -32800
    assert found[503]["result"]["dialect"] == "any"


def test_of_the_versions_of_a_long_document_the_newest_is_read(server: Server) -> None:
    """A request about an older one is told that it is one; the list is that of the newest."""
    server.start()
    server.open("untitled:long.co", long_text(16))
    server.ask("textDocument/documentSymbol", symbols("untitled:long.co"))
    server.edit("untitled:long.co", 2, long_text(32))
    server.send("textDocument/documentSymbol", 600, params=symbols("untitled:long.co"))
    for version in range(3, 7):
        server.edit("untitled:long.co", version, long_text(64 * version).replace("= N", "= zz", 1))
    server.send("textDocument/documentSymbol", 601, params=symbols("untitled:long.co"))
    found = answers(server, 2)
    assert found[600]["error"]["code"] == -32801
    assert len(found[601]["result"]) == COUNT + 1
    shown = server.until("textDocument/publishDiagnostics", lambda one: one["version"] == 6)
    assert "undeclared-name" in [one["code"] for one in shown["diagnostics"]]
    assert not {3, 4, 5} & set(listed(server, "untitled:long.co"))
    server.send("textDocument/didClose", params=symbols("untitled:long.co"))
    assert server.ask("textDocument/documentSymbol", symbols("untitled:long.co")) == []
    assert (server.messages(), server.log()) == ([], "")


def test_a_long_document_that_is_closed_while_it_is_read(server: Server) -> None:
    server.start()
    server.open("untitled:long.co", long_text(16))
    server.send("textDocument/documentSymbol", 700, params=symbols("untitled:long.co"))
    server.send("textDocument/didClose", params=symbols("untitled:long.co"))
    assert server.answer(700)["error"]["code"] == -32801
    server.open("untitled:long.co", long_text(16))
    assert len(server.ask("textDocument/documentSymbol", symbols("untitled:long.co"))) == COUNT + 1
    assert (server.messages(), server.log()) == ([], "")


def test_requests_do_not_wait_until_all_of_a_long_document_is_read_again(server: Server) -> None:
    """They are answered for the text as it is now; who was answered so is told to ask again."""
    refresh = {"refreshSupport": True}
    server.start({"workspace": {"semanticTokens": refresh, "inlayHint": refresh, "codeLens": refresh}})
    uri, many = "untitled:long.co", 400
    server.open(uri, long_text(16, many))
    server.ask("textDocument/semanticTokens/full", symbols(uri))
    server.until("textDocument/publishDiagnostics")
    server.edit(uri, 2, "// more\n" + long_text(4096, many))
    row = 2 + 200 * 10 + 1
    column = BODY.index("N; }")
    place = symbols(uri) | {"position": {"line": row, "character": column}}
    asked = {
        "textDocument/hover": place,
        "textDocument/definition": place,
        "textDocument/documentSymbol": symbols(uri),
        "textDocument/semanticTokens/full": symbols(uri),
        "textDocument/codeAction": symbols(uri)
        | {"range": {"start": place["position"], "end": place["position"]}, "context": {"diagnostics": []}},
    }
    found = {method: server.ask(method, params) for method, params in asked.items()}
    assert "4096" in str(found["textDocument/hover"]["contents"])
    assert found["textDocument/definition"][0]["range"]["start"] == {"line": 1, "character": 8}
    lines = [one["range"]["start"]["line"] for one in found["textDocument/documentSymbol"]]
    assert lines[:2] + lines[-1:] == [1, 2, 2 + (many - 1) * 10]
    server.until("textDocument/publishDiagnostics", lambda one: one["version"] == 2)
    for what in ("inlayHint", "semanticTokens", "codeLens"):
        server.until(f"workspace/{what}/refresh")
    whole = server.ask("textDocument/semanticTokens/full", symbols(uri))
    assert whole["data"] == found["textDocument/semanticTokens/full"]["data"]
    assert (server.messages(), server.log()) == ([], "")


def test_a_rename_waits_for_all_of_a_long_document(server: Server) -> None:
    server.start()
    uri = "untitled:long.co"
    server.open(uri, long_text(16))
    server.ask("textDocument/documentSymbol", symbols(uri))
    server.edit(uri, 2, long_text(32).replace("= N;", "= NN;", 1).replace("#define N 32", "#define N 32\n#define NN 4"))
    place = symbols(uri) | {"position": {"line": 1, "character": 8}}
    edit = server.ask("textDocument/rename", place | {"newName": "WIDTH"})
    assert 2 in listed(server, uri)
    assert len(edit["changes"][uri]) == 2


async def test_nothing_is_read_on_while_an_answer_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor before it is sent: two threads would share the interpreter."""
    steps: list[int] = []

    def read(_: Snapshot, last: FileReport | None, between: Callable[[], None]) -> FileReport:
        for step in range(3):
            between()
            steps.append(step)
        return check_text("") if last is None else last

    monkeypatch.setattr(Snapshot, "read", read)
    documents, done = Documents(), asyncio.Event()
    reading = Reading(documents)
    reading.on_read = lambda *_: done.set()
    snapshot, _ = documents.open("untitled:long.co", 1, long_text(16))
    with reading.ahead():
        with reading.ahead():
            assert reading.begin(snapshot)
        await asyncio.sleep(0.05)
    assert steps == []
    wait = reading.before(lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(snapshot.uri)))
    assert wait is not None
    assert await wait(reading._free.is_set) is False
    assert not reading._free.is_set()
    await asyncio.wait_for(done.wait(), 60)
    assert steps == [0, 1, 2]
    await asyncio.sleep(0.01)
    assert reading._free.is_set()
