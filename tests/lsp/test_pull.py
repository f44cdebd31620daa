"""Diagnostics are pushed, or asked for where the setting says so; never both."""

from __future__ import annotations

from typing import Any

from tests.lsp.bare import Server

BROKEN = "__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { x.at(p) = zz; }\n}\n"
HANGS = (
    "__co__ void f(global s32 [8] x) {\n  parallel b by 1 : block {\n    shared event e;\n    wait e;\n"
    "    parallel p by 8 : thread { x.at(p) = 1; }\n  }\n}\n"
)
URI = "untitled:k.co"
DOCUMENT = {"textDocument": {"uri": URI}}
PULLS = {
    "textDocument": {"diagnostic": {"dynamicRegistration": True}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}


def codes(report: Any) -> list[str]:
    return [item["code"] for item in report["items"] if item["severity"] == 1]


def pushed(server: Server) -> list[Any]:
    return [one["params"] for one in server.heard if one["method"] == "textDocument/publishDiagnostics"]


def capabilities(server: Server, able: Any, options: Any) -> dict[str, Any]:
    return dict(server.start(able, options)["capabilities"])


def test_without_the_setting_nothing_is_offered(server: Server) -> None:
    assert "diagnosticProvider" not in capabilities(server, PULLS, {"diagnostics": "push"})
    server.open(URI, BROKEN)
    assert server.until("textDocument/publishDiagnostics")["diagnostics"]


def test_with_the_setting_nothing_is_pushed(server: Server) -> None:
    offered = capabilities(server, PULLS, {"diagnostics": "pull"})["diagnosticProvider"]
    assert (offered["interFileDependencies"], offered["workspaceDiagnostics"]) == (False, False)
    server.open(URI, BROKEN)
    first = server.ask("textDocument/diagnostic", DOCUMENT)
    assert (first["kind"], codes(first)) == ("full", ["undeclared-name"])
    server.until("workspace/diagnostic/refresh")  # its verdicts are there
    again = server.ask("textDocument/diagnostic", DOCUMENT | {"previousResultId": first["resultId"]})
    assert (again["kind"], again["resultId"]) == ("unchanged", first["resultId"])
    server.edit(URI, 2, BROKEN.replace("zz", "1"))
    mended = server.ask("textDocument/diagnostic", DOCUMENT | {"previousResultId": first["resultId"]})
    assert (mended["kind"], mended["items"]) == ("full", [])
    server.send("textDocument/didClose", params=DOCUMENT)
    assert server.ask("textDocument/diagnostic", DOCUMENT)["items"] == []
    assert pushed(server) == []


def test_verdicts_are_there_after_the_refresh(server: Server) -> None:
    capabilities(server, PULLS, {"diagnostics": "pull"})
    server.open(URI, HANGS)
    server.until("workspace/diagnostic/refresh")
    assert codes(server.ask("textDocument/diagnostic", DOCUMENT))


def test_changing_over_takes_the_pushed_lists_back(server: Server) -> None:
    capabilities(server, PULLS, None)
    server.open(URI, BROKEN)
    server.until("textDocument/publishDiagnostics", lambda params: params["diagnostics"])
    change = {"settings": {"croqtile": {"diagnostics": "pull"}}}
    server.send("workspace/didChangeConfiguration", params=change)
    server.until(
        "client/registerCapability", lambda params: params["registrations"][0]["method"] == "textDocument/diagnostic"
    )
    assert pushed(server)[-1]["diagnostics"] == []
    assert codes(server.ask("textDocument/diagnostic", DOCUMENT)) == ["undeclared-name"]
    server.send("workspace/didChangeConfiguration", params={"settings": {"croqtile": {"diagnostics": "push"}}})
    server.until("client/unregisterCapability")
    count = len(pushed(server))
    server.edit(URI, 2, BROKEN)
    server.until("textDocument/publishDiagnostics", lambda params: params.get("version") == 2)
    assert len(pushed(server)) > count


def test_a_client_that_cannot_change_over_is_told(server: Server) -> None:
    capabilities(server, {}, None)
    server.send("workspace/didChangeConfiguration", params={"settings": {"croqtile": {"diagnostics": "pull"}}})
    assert "changes with the next start" in server.until("window/showMessage")["message"]
    server.open(URI, BROKEN)
    assert server.until("textDocument/publishDiagnostics")["diagnostics"]


def test_a_wrong_value_is_named(server: Server) -> None:
    capabilities(server, {}, {"diagnostics": "both"})
    said = server.until("window/showMessage")["message"]
    assert said == "setting 'croqtile.diagnostics' is 'both'; known are push, pull"
