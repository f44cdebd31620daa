"""Runs through the server: one at a time, followed, cancelled, remembered; what hangs is marked; no trust, no run."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from croqc.service.settings import NO_SETTINGS
from croqls.ide.snapshot import Snapshot
from croqls.lsp.run_following import _offer
from croqls.lsp.runs import Run
from croqls.workers.orders import Order, Text
from tests.cli.test_protocol import validate
from tests.lsp.bare import FailedError, Server

SMALL = """// croq: run
// croq: expect y == x + 1
__co__ void add(global s32 [64] x, global s32 [64] y) {
  parallel p by 64 : thread
    y.at(p) = x.at(p) + 1;
}
"""
LARGE = SMALL.replace("// croq: run\n", '// croq: run name="large"\n').replace(
    "parallel p by 64 : thread\n", "parallel b by 100000 : block\n  parallel p by 64 : thread\n"
)
HANGS = Path("examples/pipeline_course.co").read_text(encoding="utf-8").replace("trigger empty[s];", ";")
URI = "untitled:k.co"
DOCUMENT = {"textDocument": {"uri": URI}, "engine": "sim"}
PROGRESS = {"window": {"workDoneProgress": True}}


def started(server: Server, text: str, capabilities: Any = None, options: Any = None) -> None:
    server.start(capabilities, options)
    server.open(URI, text)


def ended(server: Server, number: int) -> Any:
    found = server.until("croqtile/runResult", lambda params: params["id"] == number)
    validate("runResult", found)
    return found


def progress(server: Server) -> list[str]:
    return [one["params"]["value"]["kind"] for one in server.heard if one["method"] == "$/progress"]


def test_a_run_is_verified_and_remembered(server: Server) -> None:
    started(server, SMALL, PROGRESS)
    answer = server.ask("croqtile/run", DOCUMENT)
    validate("started", answer)
    assert answer["started"]
    result = ended(server, answer["id"])
    validate("run", result["result"])
    assert (result["state"], result["task"], result["message"], result["offer"]) == ("done", "run", "", None)
    assert [one["verdict"] for one in result["result"]["runs"]] == ["verified"]
    server.edit(URI, 2, SMALL.replace("x + 1\n", "x + 2\n"))
    wrong = ended(server, server.ask("croqtile/run", DOCUMENT)["id"])
    assert wrong["documentVersion"] == 2
    history = server.ask("croqtile/runs", DOCUMENT)
    validate("history", history)
    assert [one["run"]["verdict"] for one in history["runs"]] == ["verified", "wrong"]
    assert (history["lastGood"], history["running"]) == (0, None)
    assert server.ask("croqtile/runs", DOCUMENT | {"entry": "other"})["runs"] == []
    kinds = progress(server)
    assert kinds.count("begin") == kinds.count("end") == 2
    assert kinds[-1] == "end"


def test_a_verification_has_both_verdicts(server: Server) -> None:
    started(server, SMALL)
    result = ended(server, server.ask("croqtile/run", DOCUMENT | {"task": "verify"})["id"])
    validate("verify", result["result"])
    (one,) = result["result"]["verified"]
    assert one["sim"]["verdict"] == "verified"
    assert progress(server) == []  # the client said nothing of it


def test_a_second_click_is_answered_with_the_run_under_way_which_can_be_ended(server: Server) -> None:
    """Ended means gone: no process of it is left, progress has its end, and the next run works."""
    started(server, LARGE, PROGRESS)
    assert server.ask("croqtile/runs", DOCUMENT)["runs"] == []  # by now the other processes have started
    known = server.children()
    first = server.ask("croqtile/run", DOCUMENT)
    assert server.ask("croqtile/run", DOCUMENT) == {"version": 1, "id": first["id"], "started": False}
    said = server.until("croqtile/runProgress")
    validate("runProgress", said)
    assert said["total"] == 100000
    assert server.ask("croqtile/runs", DOCUMENT)["running"] == first["id"]
    assert server.ask("croqtile/runCancel", {"id": first["id"] + 1}) == {"version": 1, "cancelled": False}
    own = server.children() - known
    assert own
    answer = server.ask("croqtile/runCancel", {"id": first["id"]})
    validate("cancelled", answer)
    assert answer["cancelled"]
    result = ended(server, first["id"])
    assert (result["state"], result["message"], result["result"]) == ("cancelled", "the run was cancelled", None)
    kinds = progress(server)
    assert (kinds[0], kinds[-1], kinds.count("end")) == ("begin", "end", 1)
    server.edit(URI, 2, SMALL)
    assert ended(server, server.ask("croqtile/run", DOCUMENT)["id"])["state"] == "done"
    end = time.monotonic() + 10
    while own & server.children() and time.monotonic() < end:
        time.sleep(0.05)
    assert not own & server.children()


def test_the_progress_itself_cancels(server: Server) -> None:
    started(server, LARGE, PROGRESS)
    number = server.ask("croqtile/run", DOCUMENT)["id"]
    server.until("croqtile/runProgress")
    token = server.until("$/progress")["token"]
    server.send("window/workDoneProgress/cancel", params={"token": token})
    assert ended(server, number)["state"] == "cancelled"


def test_a_process_that_dies_at_a_run_is_told_and_the_next_run_works(server: Server) -> None:
    started(server, LARGE, PROGRESS)
    assert server.ask("croqtile/runs", DOCUMENT)["runs"] == []  # by now the other processes have started
    known = server.children()
    number = server.ask("croqtile/run", DOCUMENT)["id"]
    server.until("croqtile/runProgress")
    for child in server.children() - known:
        os.kill(child, signal.SIGKILL)
    result = ended(server, number)
    assert (result["state"], result["message"]) == ("failed", "the process that worked at it died; try again")
    assert progress(server)[-1] == "end"
    server.edit(URI, 2, SMALL)
    assert ended(server, server.ask("croqtile/run", DOCUMENT)["id"])["state"] == "done"


def test_without_a_card_the_simulator_is_offered(server: Server) -> None:
    started(server, SMALL)
    assert server.ask("croqtile/runs", DOCUMENT)["runs"] == []  # by now the other processes have started
    known = server.children()
    result = ended(server, server.ask("croqtile/run", DOCUMENT | {"engine": "gpu"})["id"])
    assert server.children() == known  # none was started for it
    assert (result["state"], result["offer"], result["result"]) == ("refused", "sim", None)
    assert result["message"] == "there is no NVIDIA driver here; 'croq doctor' tells what to install"


def test_without_a_card_a_profile_is_refused_and_the_doctor_offered(server: Server) -> None:
    started(server, SMALL, PROGRESS)
    for more in ({}, {"engine": "gpu"}):
        wanted = {"textDocument": {"uri": URI}, "task": "profile"} | more
        result = ended(server, server.ask("croqtile/run", wanted)["id"])
        assert (result["task"], result["state"], result["offer"], result["result"]) == (
            "profile",
            "refused",
            "doctor",
            None,
        )
        assert result["message"] == "there is no NVIDIA driver here; 'croq doctor' tells what to install"
        validate("runResult", result)
    kinds = progress(server)
    assert kinds.count("begin") == kinds.count("end") == 2
    answer = server.ask("workspace/executeCommand", {"command": "croqtile.profile", "arguments": [URI, "add"]})
    assert (answer["state"], answer["task"]) == ("refused", "profile")
    assert server.ask("croqtile/runs", DOCUMENT)["runs"] == []


@pytest.mark.parametrize("setting", [False, True])
def test_an_untrusted_workspace_runs_and_compiles_nothing(server: Server, setting: bool) -> None:
    """Also where a setting of the workspace says otherwise; looking at it is allowed."""
    started(server, SMALL, options={"trusted": False})
    server.send("workspace/didChangeConfiguration", params={"settings": {"croqtile": {"trusted": setting}}})
    for method, more in (
        ("run", {}),
        ("run", {"task": "profile", "engine": "gpu"}),
        ("generated", {"form": "ptx"}),
        ("generated", {"form": "sass"}),
    ):
        with pytest.raises(FailedError, match="this workspace is not trusted") as failed:
            server.ask(f"croqtile/{method}", DOCUMENT | more)
        assert failed.value.code == -32803
    command = {"command": "croqtile.verify", "arguments": [URI]}
    assert "not trusted" in server.ask("workspace/executeCommand", command)["message"]
    assert server.ask("croqtile/generated", DOCUMENT)["code"]["text"]
    assert server.ask("croqtile/flowPage", DOCUMENT | {"nonce": "0123456789abcdef"})["html"]


def test_a_hang_is_marked_where_it_stands_until_the_next_edit(server: Server) -> None:
    started(server, HANGS)
    answer = server.ask("workspace/executeCommand", {"command": "croqtile.run", "arguments": [URI, {"engine": "sim"}]})
    validate("runResult", answer)
    assert [one["verdict"] for one in answer["result"]["runs"]] == ["hangs", "hangs"]

    def marked(params: Any) -> bool:
        return any(one.get("source") == "croqtile run" for one in params["diagnostics"])

    shown = server.until("textDocument/publishDiagnostics", marked)
    marks = [one for one in shown["diagnostics"] if one.get("source") == "croqtile run"]
    lines = HANGS.split("\n")
    places = [lines[one["range"]["start"]["line"]].strip() for one in marks]
    assert sorted(places) == ["wait empty[stage];", "wait full[stage];"]  # once each, though both runs stood there
    assert any(
        one["message"].startswith("the run stood here: path p1 == 0 waits for empty[0], generation 0; owed by")
        for one in marks
    )
    server.edit(URI, 2, HANGS + "\n")
    after = server.until("textDocument/publishDiagnostics", lambda params: params.get("version") == 2)
    assert not marked(after)


@pytest.mark.parametrize(("again", "count"), [(HANGS.replace(";\n", "; \n"), 0), (HANGS, 2)])
def test_marks_belong_to_the_text_that_ran(server: Server, again: str, count: int) -> None:
    """Closed while it runs, and opened again at the same version."""
    started(server, HANGS)
    number = server.ask("croqtile/run", DOCUMENT | {"engine": "sim"})["id"]
    server.send("textDocument/didClose", params=DOCUMENT)
    server.open(URI, again)
    assert ended(server, number)["state"] == "done"
    server.ask("textDocument/documentSymbol", DOCUMENT)
    shown = [one["params"] for one in server.heard if one["method"] == "textDocument/publishDiagnostics"]
    assert len([one for one in shown[-1]["diagnostics"] if one.get("source") == "croqtile run"]) == count


def test_a_profile_that_the_verdict_keeps_from_the_card_may_be_forced() -> None:
    order = Order("profile", Text("k.co", "", "k.co", NO_SETTINGS), {})
    run = Run(
        1, Snapshot("file:///k.co", 1, ""), order, "done", data={"profiles": [{"offer": None}, {"offer": "force"}]}
    )
    assert _offer(run) == "force"
    run.data = {"profiles": [{"offer": None}]}
    assert _offer(run) is None
