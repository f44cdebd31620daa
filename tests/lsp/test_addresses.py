"""One document under two addresses: one text, and lists, edits and places under the address that they are for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lsp.bare import Server

KERNEL = "__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { x.at(p) = zz; }\n}\n"
HANGS = """__co__ void f(global s32 [8] o) {
  parallel b by 1 : block {
    shared event e;
    parallel p by 32 : thread {
      wait e;
      o.at(0) = 1;
    }
  }
}
"""


def test_two_spellings_of_one_address_are_one_document(server: Server, tmp_path: Path) -> None:
    server.start()
    first, second = f"file://{tmp_path}/x%20y.co", f"file://{tmp_path}/x y.co"

    def published(uri: str, version: int, count: int) -> None:
        """Waits for the list of an address that comes for a version with so many findings."""
        server.until(
            "textDocument/publishDiagnostics",
            lambda one: (one["uri"], one["version"], len(one["diagnostics"])) == (uri, version, count),
        )

    for uri in (first, second):
        server.open(uri, KERNEL)
        published(uri, 1, 1)
    server.edit(first, 2, KERNEL.replace("zz", "1"))
    published(first, 2, 0)
    published(second, 1, 0)  # the client has not changed what it knows under that address
    server.send("textDocument/didClose", params={"textDocument": {"uri": first}})
    server.edit(second, 3, KERNEL)
    shown = server.until("textDocument/publishDiagnostics", lambda one: one.get("version") == 3)
    assert (shown["uri"], len(shown["diagnostics"])) == (second, 1)


def of_both(server: Server, first: str, second: str) -> None:
    """A kernel that hangs, at version 7 under one address and at version 1 under the other."""
    able = {"resolveSupport": {"properties": ["edit"]}, "dataSupport": True}
    server.start({"workspace": {"workspaceEdit": {"documentChanges": True}}, "textDocument": {"codeAction": able}})
    for uri, version in ((first, 7), (second, 1)):
        document = {"uri": uri, "languageId": "croqtile", "version": version, "text": HANGS}
        server.send("textDocument/didOpen", params={"textDocument": document})


def codes(shown: Any) -> set[str]:
    return {item["code"] for item in shown["diagnostics"] if "code" in item}


def test_closing_one_address_of_a_document_leaves_the_verdict_of_the_other(server: Server) -> None:
    """The verdict is on its way when the second address is closed."""
    first, second = "file:///c%3A/k.co", "file:///C:/k.co"
    of_both(server, first, second)
    server.send("textDocument/didClose", params={"textDocument": {"uri": second}})
    shown = server.until(
        "textDocument/publishDiagnostics", lambda one: one["uri"] == first and "credit-deadlock" in codes(one)
    )
    assert shown["version"] == 7
    assert {one["params"].get("version") for one in server.heard if one.get("params", {}).get("uri") == first} == {7}
    server.send("textDocument/didClose", params={"textDocument": {"uri": first}})
    server.until("textDocument/publishDiagnostics", lambda one: one["uri"] == first and not one["diagnostics"])


def test_marks_of_a_run_stay_while_an_address_of_the_document_is_open(server: Server) -> None:
    first, second = "file:///c%3A/k.co", "file:///C:/k.co"
    of_both(server, first, second)
    server.ask("croqtile/run", {"textDocument": {"uri": first}, "engine": "sim"})
    result = server.until("croqtile/runResult")
    assert (result["uri"], result["documentVersion"]) == (first, 7)

    def is_marked(one: Any) -> bool:
        return one["uri"] == first and any(item["source"] == "croqtile run" for item in one["diagnostics"])

    server.until("textDocument/publishDiagnostics", is_marked)
    server.send("textDocument/didClose", params={"textDocument": {"uri": second}})
    server.ask("textDocument/documentSymbol", {"textDocument": {"uri": first}})
    server.heard.clear()
    document = {"uri": second, "languageId": "croqtile", "version": 3, "text": HANGS}
    server.send("textDocument/didOpen", params={"textDocument": document})
    server.until("textDocument/publishDiagnostics", is_marked)


def test_answers_are_about_the_address_that_was_asked_about(server: Server) -> None:
    first, second = "file:///c%3A/k.co", "file:///C:/k.co"
    of_both(server, first, second)
    for uri, version in ((first, 7), (second, 1)):
        asked = {"textDocument": {"uri": uri}, "position": {"line": 5, "character": 6}}
        (change,) = server.ask("textDocument/rename", asked | {"newName": "out"})["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": version}
        assert [one["uri"] for one in server.ask("textDocument/definition", asked)] == [uri]
        asked["position"] = {"line": 2, "character": 17}
        assert [one["uri"] for one in server.ask("textDocument/prepareCallHierarchy", asked)] == [uri]
