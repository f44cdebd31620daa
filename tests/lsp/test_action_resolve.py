"""`codeAction/resolve`: an edit that is made when it is wanted, of the text that it was offered for, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lsp.bare import FailedError, Server

CLASSIC = (Path(__file__).parents[2] / "examples" / "pipeline_classic.co").read_text(encoding="utf-8")
URI = "untitled:k 1.co"
DOCUMENT = {"textDocument": {"uri": URI}}
TITLE = "Migrate this file to the current dialect"
LATER = {"resolveSupport": {"properties": ["edit", "command"]}, "dataSupport": True}
REQUEST_FAILED, INVALID_PARAMS = -32803, -32602


def begun(server: Server, known: dict[str, Any], text: str = CLASSIC) -> None:
    server.start(
        {"workspace": {"workspaceEdit": {"documentChanges": True}}, "textDocument": {"codeAction": known}},
    )
    server.open(URI, text)


def migration(server: Server) -> dict[str, Any]:
    start = {"line": 0, "character": 0}
    asked = {"range": {"start": start, "end": start}, "context": {"diagnostics": [], "only": ["source"]}}
    offered = server.ask("textDocument/codeAction", DOCUMENT | asked)
    found: dict[str, Any] = next(one for one in offered if one["title"] == TITLE)
    return found


def changed(action: dict[str, Any]) -> tuple[Any, str]:
    """The version that the edit is of, and the text after its one change."""
    (change,) = action["edit"]["documentChanges"]
    (edit,) = change["edits"]
    lines = CLASSIC.splitlines(keepends=True)
    start, end = (
        sum(map(len, lines[: place["line"]])) + place["character"]
        for place in (edit["range"]["start"], edit["range"]["end"])
    )
    return change["textDocument"], CLASSIC[:start] + edit["newText"] + CLASSIC[end:]


def test_the_edit_comes_when_it_is_wanted(server: Server) -> None:
    """And is the one that a client gets at once that cannot wait for it."""
    begun(server, LATER)
    offered = migration(server)
    assert "edit" not in offered
    resolved = server.ask("codeAction/resolve", offered)
    assert resolved | {"edit": None} == offered | {"edit": None}
    document, text = changed(resolved)
    assert document == {"uri": URI, "version": 1}
    assert "trigger full.at(k) after lhs_f, rhs_f;" in text
    with Server() as other:
        begun(other, {})
        assert changed(migration(other)) == (document, text)


@pytest.mark.parametrize("known", [{}, {"dataSupport": True}, {"resolveSupport": {"properties": ["edit"]}}])
def test_other_clients_get_the_edit_at_once(server: Server, known: dict[str, Any]) -> None:
    begun(server, known)
    action = migration(server)
    assert "data" not in action
    assert server.ask("codeAction/resolve", action) == action


def test_an_action_of_a_text_that_is_gone_is_refused(server: Server) -> None:
    """Asked at version 1, applied at version 2; and of a document that was closed."""
    begun(server, LATER)
    offered = migration(server)
    server.edit(URI, 2, f"// one line more\n{CLASSIC}")
    said = refused(server, offered)
    assert said == (
        REQUEST_FAILED,
        "the document was changed since this was offered, so nothing was done; ask for it again",
    )
    again = migration(server)
    assert server.ask("codeAction/resolve", again)["edit"]["documentChanges"][0]["textDocument"]["version"] == 2
    server.send("textDocument/didClose", params=DOCUMENT)
    assert refused(server, again) == said


def test_a_migration_that_changes_nothing_says_so(server: Server) -> None:
    """The only forms of another dialect stand in a function that cannot be read."""
    begun(server, LATER, CLASSIC.replace("wait full[stage];", "wait"))
    assert refused(server, migration(server)) == (REQUEST_FAILED, "there is nothing to move to the current dialect")


def test_what_no_action_of_ours_keeps_is_refused(server: Server) -> None:
    begun(server, LATER)
    for data in (3, {}, {"uri": URI, "version": 1, "to": "older"}, {"uri": URI, "version": 1, "to": ["current"]}):
        assert refused(server, {"title": "x", "data": data})[0] == INVALID_PARAMS


def refused(server: Server, action: dict[str, Any]) -> tuple[int, str]:
    with pytest.raises(FailedError) as raised:
        server.ask("codeAction/resolve", action)
    return raised.value.code, raised.value.message
