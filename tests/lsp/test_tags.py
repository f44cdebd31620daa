"""Tags of diagnostics, as clients draw them: what does nothing fades, what is of an older dialect is struck through."""

from __future__ import annotations

from typing import Any

from tests.lsp.bare import Server

URI = "untitled:k.co"
TAGS = {"textDocument": {"publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}}}}
UNNECESSARY, DEPRECATED = 1, 2
UNUSED = (
    "__co__ void f(global s32 [8] x) {\n  parallel b by 1 : block {\n    shared event e;\n"
    "    parallel p by 8 : thread { x.at(p) = 1; }\n  }\n}\n"
)
OLDER = (
    "__co__ void f(global f16 [64, 64] x, global f16 [64, 64] y) {\n  parallel b by 1 : block {\n"
    "    shared f16 [64, 64] s;\n    dma.copy x => s;\n    tma.store s => y;\n  }\n}\n"
)


def tagged(server: Server, text: str, options: Any) -> dict[str, list[int]]:
    server.start(TAGS, options)
    server.open(URI, text)
    found = server.until("textDocument/publishDiagnostics", lambda told: bool(told["diagnostics"]))["diagnostics"]
    return {item["code"]: item["tags"] for item in found if "tags" in item}


def test_an_event_that_nobody_uses_is_unnecessary(server: Server) -> None:
    assert tagged(server, UNUSED, {}) == {"unused-event": [UNNECESSARY]}


def test_a_form_of_an_older_dialect_is_deprecated(server: Server) -> None:
    assert tagged(server, OLDER, {"dialect": "current"}) == {"older-form": [DEPRECATED]}
