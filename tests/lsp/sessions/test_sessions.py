"""Sessions of random edits and requests, and that what they look for is found where it is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from croqls.lsp.commands import COMMANDS as SERVED
from croqls.lsp.requests import TABLE
from tests.lsp.positions import edited, offset_at, place_at
from tests.lsp.processes import below, is_at_work, seconds
from tests.lsp.sessions import fuzz
from tests.lsp.sessions.asked import ASKED, COMMANDS, FOLLOWED
from tests.lsp.sessions.draw import Client, Session, State, Step, draw_client, draw_session
from tests.lsp.sessions.fuzz import fault_of, minimised, run_chunk, session_of, table
from tests.lsp.sessions.play import Player
from tests.lsp.sessions.wire import Wire

# What no session asks for: the life of the server, which each has; runs that would take a card where there is one.
OF_EACH = {"initialize", "initialized", "shutdown", "workspace/didChangeConfiguration"}
NOTIFIED = {"didOpen", "didChange", "didClose", "didChangeWatchedFiles", "didChangeWorkspaceFolders"}
TAKES_A_CARD = {"croqtile.verify", "croqtile.profile"}
PLAIN = Client("utf-16", pull=False, configuration=False, progress=True, versioned=True, refuses=False)
KERNEL = "__co__ void f(global s32 [8] x) {\n  x.at(0) = zz;\n}\n"
DOCUMENT = {"textDocument": {"uri": "untitled:k.co"}}
OPEN = Step(
    "notify",
    "textDocument/didOpen",
    {"textDocument": {"uri": "untitled:k.co", "languageId": "croqtile", "version": 1, "text": KERNEL}},
)
HOVER = Step("ask", "textDocument/hover", DOCUMENT | {"position": {"line": 1, "character": 3}}, 1)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chunk", range(8))
def test_two_hundred_sessions(chunk: int) -> None:
    """Of eight clients."""
    _, counts, faults = run_chunk(chunk, 200 // 8)
    assert faults == []
    assert counts["sessions"] == 25


def test_every_request_and_command_is_drawn() -> None:
    follow = {name for rows in FOLLOWED.values() for name, _ in rows}
    served = {entry.method for entry in TABLE} - OF_EACH
    assert {name.rpartition("/")[2] for name in served - set(ASKED) - follow} == NOTIFIED
    assert set(SERVED) - set(COMMANDS) == TAKES_A_CARD
    seen = {step.method for seed in range(600) for step in session_of(seed).steps if step.kind == "ask"}
    assert set(ASKED) | follow <= seen


def test_a_seed_is_a_session() -> None:
    first = draw_session(77, draw_client(3))
    assert first == draw_session(77, draw_client(3))
    assert first != draw_session(78, draw_client(3))


def test_positions_of_a_text() -> None:
    text = "a😀b\r\nc\rd\n"
    for encoding, column in (("utf-8", 5), ("utf-16", 3), ("utf-32", 2)):
        assert place_at(text, 2, encoding) == {"line": 0, "character": column}
        assert offset_at(text, {"line": 0, "character": column}, encoding) == 2
    assert place_at(text, 4, "utf-16") == place_at(text, 3, "utf-16")  # inside the CRLF
    assert [place_at(text, at, "utf-16")["line"] for at in (5, 6, 7, 8, 9)] == [1, 1, 2, 2, 3]
    assert [offset_at(text, {"line": line, "character": 9}, "utf-16") for line in range(5)] == [3, 6, 8, 9, 9]
    span = {"start": {"line": 0, "character": 1}, "end": {"line": 7, "character": 0}}
    assert edited(text, [{"range": span, "text": "x"}, {"text": "y"}], "utf-16") == "y"


def test_the_texts_follow_the_steps() -> None:
    state = State("utf-16")
    place = {"line": 0, "character": 0}
    change = {"range": {"start": place, "end": place}, "text": "// "}
    versioned = {"textDocument": {"uri": "untitled:k.co", "version": 4}, "contentChanges": [change]}
    for step in (OPEN, Step("notify", "textDocument/didChange", versioned), Step("settings", params={"arch": "sm_80"})):
        state.take(step)
    (document,) = state.documents.values()
    assert (document.version, document.text, state.settings) == (4, f"// {KERNEL}", {"arch": "sm_80"})


@pytest.mark.parametrize(("at_work", "spent", "late"), [(True, 3.0, True), (True, 61.0, False), (False, 3.0, False)])
def test_a_server_that_waits_for_a_core_is_late_and_not_wrong(at_work: bool, spent: float, late: bool) -> None:
    """As long as it has something to do, and did not have the processor time that it may take."""
    player = Player(cast("Wire", SimpleNamespace(is_at_work=lambda: at_work, spent=lambda: 100.0 + spent)))
    player.spent, player.end_of_time = 100.0, 0.0
    assert player.is_only_late() is late
    assert (player.end_of_time > 0.0) is late


def test_who_is_at_work() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as idle:
            assert {busy.pid, idle.pid} <= below(os.getpid())
            while is_at_work(idle.pid) or not seconds(busy.pid):
                time.sleep(0.02)
            assert (is_at_work(busy.pid), is_at_work(idle.pid)) == (True, False)
            idle.kill()
        busy.kill()
    assert (is_at_work(busy.pid), seconds(busy.pid)) == (False, 0.0)


# --- servers that are wrong ----------------------------------------------------------------------

BROKEN = """
import croqls.lsp.requests as requests
from croqls.lsp import publish, serve
from croqls.lsp.requests import hover
from dataclasses import replace
def instead(method, handler):
    rows = [replace(row, handler=handler) if row.method == method else row for row in requests.TABLE]
    serve.TABLE = tuple(rows)
{change}
serve.serve()
"""
CHANGES = {
    "answered with": "instead('textDocument/hover', lambda server, params: 1 / 0)",
    "no answers within": "import asyncio\nasync def wait(server, params): await asyncio.sleep(60)\n"
    "instead('textDocument/hover', wait)",
    "the server ended": "import os\ninstead('textDocument/hover', lambda server, params: os._exit(3))",
    "standard error": "import logging\ndef log(server, params):\n"
    "    try: 1 / 0\n    except ArithmeticError: logging.exception('hover')\n"
    "instead('textDocument/hover', log)",
    "no right list": "publish.with_definitions = lambda report: report.diagnostics[1:]",
    "closed, but its list is not empty": "from croqls.lsp.requests import synchronization\n"
    "synchronization.retract = lambda server, uri: None",
}


def broken(change: str) -> tuple[str, ...]:
    return (sys.executable, "-c", BROKEN.format(change=change))


@pytest.mark.slow
@pytest.mark.parametrize("says", CHANGES)
def test_a_fault_is_found(says: str) -> None:
    patience = 5.0 if says.startswith("no ") else None  # the others come sooner or later, on a busy machine later
    found = fault_of(Session(0, PLAIN, (OPEN, HOVER)), broken(CHANGES[says]), patience)
    assert says in found


@pytest.mark.slow
def test_a_session_without_fault_and_one_made_small() -> None:
    """Of ten steps the two stay that the fault takes."""
    other = replace(HOVER, method="textDocument/documentSymbol", params=DOCUMENT)
    steps = (OPEN, *(replace(other, number=number) for number in range(2, 9)), HOVER, Step("wait"))
    assert fault_of(Session(0, PLAIN, steps)) == ""
    small, fault = minimised(Session(0, PLAIN, steps), broken(CHANGES["answered with"]))
    assert (small.steps, "division by zero" in fault) == ((HOVER,), True)


def test_a_session_is_made_small_only_as_long_as_it_is_the_same_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its fourth step it fails in another way, without its second in the same way at another number."""
    steps = tuple(replace(HOVER, number=number) for number in range(1, 5))

    def fault(session: Session, *_: object) -> str:
        if steps[3] in session.steps:
            return f"request {len(session.steps)} is answered with an error\nat {len(session.steps)}"
        return "the server ended with status 3"

    monkeypatch.setattr(fuzz, "fault_of", fault)
    small, said = minimised(Session(0, PLAIN, steps))
    assert (small.steps, said.splitlines()[0]) == ((steps[3],), "request 1 is answered with an error")


def test_the_table_counts() -> None:
    total = Counter({"sessions": 2000, "steps": 31000, "textDocument/hover": 1200, "croqtile/ir": 7, "faults": 0})
    lines = table(total).splitlines()
    assert lines[0] == "2,000 sessions, 31,000 steps, 1,207 requests; faults: none."
    assert lines[-2:] == ["| `croqtile/ir` | 7 |", "| `textDocument/hover` | 1,200 |"]
    assert table(total + Counter(faults=3)).splitlines()[0].endswith("faults: **3**.")
