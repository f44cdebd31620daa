"""Every request gets exactly one answer, whatever it holds and whenever it comes (LSP 3.17, base protocol)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lsp.bare import Server

PLACE = {"textDocument": {"uri": "file:///a.co"}}


@pytest.mark.parametrize(
    "method", ["textDocument/hover", "textDocument/documentSymbol", "textDocument/semanticTokens/full"]
)
@pytest.mark.parametrize("params", [None, {}, {"textDocument": {}}, {"textDocument": 3}, []])
def test_params_that_do_not_fit_are_answered(server: Server, method: str, params: Any) -> None:
    server.start()
    server.send(method, 2, params=params)
    assert server.answer(2)["error"]["code"] == -32602
    server.send("textDocument/hover", 3, params=PLACE | {"position": {"line": 0, "character": 0}})
    assert server.answer(3)["result"] is None


def test_a_request_without_params_is_answered(server: Server) -> None:
    server.start()
    server.send("textDocument/hover", 2)
    assert server.answer(2)["error"]["code"] == -32602


@pytest.mark.parametrize("line", [-1, 2**31])
def test_impossible_positions_are_answered(server: Server, line: int) -> None:
    server.start()
    server.send("textDocument/hover", 2, params=PLACE | {"position": {"line": line, "character": 0}})
    assert server.answer(2)["error"]["code"] == -32602


def test_the_order_of_life(server: Server) -> None:
    server.send("textDocument/hover", 7, params=PLACE | {"position": {"line": 0, "character": 0}})
    assert server.answer(7)["error"]["code"] == -32002
    server.start()
    server.send("shutdown", 2)
    assert server.answer(2)["result"] is None
    server.send("textDocument/hover", 3, params=PLACE | {"position": {"line": 0, "character": 0}})
    assert server.answer(3)["error"]["code"] == -32600
    server.send("exit")
    assert server.process.wait(10) == 0


def test_the_end_without_shutdown_is_no_success(server: Server) -> None:
    server.start()
    server.send("exit")
    assert server.process.wait(10) == 1


def test_a_client_that_is_gone_ends_the_server(server: Server) -> None:
    server.start()
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.process.wait(10) == 1


def test_two_spellings_of_one_address_are_one_document(server: Server, tmp_path: Path) -> None:
    server.start()
    first, second = f"file://{tmp_path}/x%20y.co", f"file://{tmp_path}/x y.co"
    broken = "__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { x.at(p) = zz; }\n}\n"

    def published() -> dict[str, int]:
        """How many errors the newest list of each address has, once both came for the version."""
        seen: dict[str, int] = {}
        while set(seen) != {first, second}:
            message = server.read()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"].get("version") == 2:
                seen[message["params"]["uri"]] = len(message["params"]["diagnostics"])
        return seen

    for uri in (first, second):
        document = {"uri": uri, "languageId": "croqtile", "version": 1, "text": broken}
        server.send("textDocument/didOpen", params={"textDocument": document})
    change = {"textDocument": {"uri": first, "version": 2}, "contentChanges": [{"text": broken.replace("zz", "1")}]}
    server.send("textDocument/didChange", params=change)
    assert published() == {first: 0, second: 0}
