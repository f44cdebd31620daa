"""`workspace/executeCommand`: plain data or a message, for clients that know no other requests."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from croqc.rules.table import NAMES
from croqc.service.check import check_text
from croqc.service.explain import find_rule
from croqc.service.machine import Machine, Part
from croqc.service.migrate import migrate
from croqls.workers import tasks
from croqls.workers.orders import Order, Outcome
from tests.cli.test_protocol import validate
from tests.lsp.bare import FailedError, Server
from tests.lsp.positions import edited
from tests.lsp.test_runs import LARGE

KERNEL = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
URI = "untitled:k.co"
LONG = "untitled:long.co"


@pytest.fixture(scope="module")
def opened() -> Iterator[Server]:
    """One server for all: the commands here change no document."""
    with Server() as server:
        server.start()
        server.open(URI, KERNEL)
        yield server


def execute(server: Server, command: str, *arguments: Any) -> Any:
    return server.ask("workspace/executeCommand", {"command": f"croqtile.{command}", "arguments": list(arguments)})


@pytest.mark.parametrize(
    ("command", "schema"), [("showFlow", "flow"), ("showCuda", "generated"), ("showSharedMemory", "sharedMemory")]
)
def test_a_command_answers_what_its_request_does(opened: Server, command: str, schema: str) -> None:
    answer = execute(opened, command, URI)
    validate(schema, answer)
    assert answer == opened.ask(f"croqtile/{schema}", {"textDocument": {"uri": URI}})
    parts = {"flow": "flows", "sharedMemory": "kernels"}
    if schema in parts:
        assert [one["function"] for one in answer[parts[schema]]] == ["matmul"]
    else:
        assert "matmul" in answer["code"]["text"]


def test_the_doctor_examines_this_machine(opened: Server) -> None:
    answer = execute(opened, "doctor")
    validate("doctor", answer)
    assert answer == opened.ask("croqtile/doctor")


def test_the_doctor_of_the_server_names_its_python_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is run in a terminal with a PATH and a folder of its own."""
    monkeypatch.setattr(tasks, "examine", lambda: Machine("3.12.3", Part(), Part(), Part(), Part(), "", ()))
    monkeypatch.setattr("shutil.which", lambda name: sys.executable)
    (outcome,) = tasks.perform(tasks.Desk(), Order("doctor", None, {}))
    assert isinstance(outcome, Outcome)
    commands = [one["command"] for one in outcome.data["findings"] if one["command"]]
    assert len(commands) == 3
    assert all(shlex.split(one)[:4] == [sys.executable, "-m", "pip", "install"] for one in commands)
    assert all(shlex.split(one)[-1] != ".[gpu]" for one in commands)


def test_arguments_in_each_form(opened: Server) -> None:
    forms = [(URI, "matmul"), (URI, {"entry": "matmul"}), ({"uri": URI, "entry": "matmul"},), (URI, None)]
    for form in forms:
        assert [one["function"] for one in execute(opened, "showFlow", *form)["flows"]] == ["matmul"]
    assert execute(opened, "showCuda", URI, {"form": "ptx"})["code"]["form"] == "ptx"


def test_verify_waits_for_the_end(opened: Server) -> None:
    result = execute(opened, "verify", URI)
    validate("runResult", result)
    validate("verify", result["result"])
    assert (result["state"], result["task"], result["message"]) == ("done", "verify", "")
    found = [
        (one["sim"]["function"], one["sim"]["verdict"], one["static"]["verdict"], one["ok"])
        for one in result["result"]["verified"]
    ]
    assert found == [("matmul", "verified", "proved", True)] * len(found)
    assert len(found) == 2  # the file's `run` lines


def test_cancelling_a_command_ends_its_run(opened: Server) -> None:
    opened.open(LONG, LARGE)
    opened.send(
        "workspace/executeCommand", 5000, params={"command": "croqtile.run", "arguments": [LONG, {"engine": "sim"}]}
    )
    number = opened.until("croqtile/runProgress")["id"]
    opened.send("$/cancelRequest", params={"id": 5000})
    assert opened.answer(5000)["error"]["code"] == -32800
    assert opened.until("croqtile/runResult", lambda one: one["id"] == number)["state"] == "cancelled"
    assert opened.ask("croqtile/runs", {"textDocument": {"uri": LONG}})["running"] is None


@pytest.mark.parametrize(
    ("command", "arguments", "says"),
    [
        ("showFlow", ["untitled:other.co"], "untitled:other.co is not open"),
        ("showFlow", [URI, "matmull"], "there is no function 'matmull'; did you mean 'matmul'"),
        ("showCuda", [URI, {"form": "c"}], "'form' must be one of"),
        ("showCuda", [URI, 7], "arguments are the document's address"),
        ("run", [], "the first argument must be the document's address"),
        ("verify", [{"uri": 3}], "the first argument must be the document's address"),
        ("showFlow", [{"entry": "matmul"}], "the first argument must be the document's address"),
        ("showSharedMemory", [None], "the first argument must be the document's address"),
        ("migrate", [{"to": "course"}], "the first argument must be the document's address"),
        ("migrate", ["untitled:other.co"], "untitled:other.co is not open"),
        ("migrate", [URI, {"to": "older"}], "'to' must be current or course"),
        ("migrate", [URI, {"to": ["course"]}], "'to' must be current or course"),
        ("explain", ["early-publis"], "there is no rule 'early-publis'; did you mean 'early-publish'"),
    ],
)
def test_what_cannot_be_done_is_a_message(opened: Server, command: str, arguments: list[Any], says: str) -> None:
    assert says in execute(opened, command, *arguments)["message"]


def test_nothing_to_end(opened: Server) -> None:
    assert execute(opened, "runCancel") == {"version": 1, "cancelled": False}


def test_a_rule_is_explained(opened: Server) -> None:
    assert execute(opened, "explain", "unused-event")["text"].startswith("# unused-event\n")


def test_without_a_name_the_rules_are_listed(opened: Server) -> None:
    rules = execute(opened, "explain")["rules"]
    assert [rule["name"] for rule in rules] == sorted(NAMES)
    assert {"name": "unused-event", "severity": "warning", "summary": find_rule("unused-event").summary} in rules


def test_an_unknown_command_is_an_error(opened: Server) -> None:
    with pytest.raises(FailedError, match="not defined"):
        execute(opened, "fly")


def test_without_arguments_the_dialects_are_listed(opened: Server) -> None:
    dialects = execute(opened, "migrate")["dialects"]
    assert [one["name"] for one in dialects] == ["current", "course"]
    assert "'= ready' on events" in dialects[0]["summary"] and "bootstraps" in dialects[1]["summary"]


def applied(edits: list[dict[str, Any]]) -> str:
    """The kernel after edits."""
    return edited(KERNEL, [{"range": one["range"], "text": one["newText"]} for one in edits], "utf-16")


def test_migration_is_an_edit_of_the_client(opened: Server) -> None:
    answer = execute(opened, "migrate", URI)
    edit = opened.until("workspace/applyEdit")["edit"]["changes"][URI]
    assert applied(edit) == migrate(check_text(KERNEL), "current").text
    assert edit[0]["range"]["start"]["line"] > 5  # what stays as it is stays untouched
    assert answer["message"] == "moved to the current dialect"
    assert (answer["moved"] > 0, answer["kept"], answer["skipped"]) == (True, [], 0)
    assert (
        execute(opened, "migrate", URI, {"to": "course"})["message"] == "there is nothing to move to the course dialect"
    )


def test_the_edit_of_a_migration_belongs_to_its_version() -> None:
    """What a person types while it is on its way is not lost: the client drops it."""
    with Server() as server:
        server.start({"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}})
        server.open(URI, KERNEL)
        server.edit(URI, 7, KERNEL)
        server.answers["workspace/applyEdit"] = {"applied": False}
        answer = execute(server, "migrate", URI)
        (change,) = server.until("workspace/applyEdit")["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": URI, "version": 7}
    assert applied(change["edits"]) == migrate(check_text(KERNEL), "current").text
    assert (answer["message"], answer["moved"]) == ("the editor did not make the edit", 0)


def test_a_function_that_cannot_be_read_is_counted(opened: Server) -> None:
    opened.open("untitled:broken.co", KERNEL.replace("wait full[stage];", "wait"))
    answer = execute(opened, "migrate", "untitled:broken.co")
    assert (answer["message"], answer["moved"], answer["skipped"]) == (
        "there is nothing to move to the current dialect",
        0,
        1,
    )
