"""Runs over restarts of the server, the lens of the last one, and single run lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from croqc.service.history import History, Kept
from croqls.ide.snapshot import Snapshot
from croqls.lsp.runs import Run, Runs
from croqls.lsp.worker_process import WorkerProcess
from croqls.workers.orders import News, Order, Outcome
from tests.cli.test_protocol import validate
from tests.lsp.bare import FailedError, Server
from tests.lsp.test_runs import SMALL, ended

TWO = SMALL.replace("// croq: run\n", '// croq: run name="a"\n// croq: run name="b"\n')
REFRESH = {"workspace": {"codeLens": {"refreshSupport": True}}}


@pytest.fixture
def servers() -> Iterator[Callable[[], Server]]:
    started: list[Server] = []

    def start() -> Server:
        started.append(Server())
        started[-1].start(REFRESH)
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def run(server: Server, document: dict[str, Any], **more: Any) -> list[Any]:
    result = ended(server, server.ask("croqtile/run", document | {"engine": "sim"} | more)["id"])
    assert result["state"] == "done", result["message"]
    return list(result["result"]["runs"])


def stop(server: Server) -> None:
    server.ask("shutdown")
    server.send("exit")
    server.process.wait(100)


def test_a_new_server_knows_the_runs_of_the_one_before(servers: Callable[[], Server], tmp_path: Path) -> None:
    uri = (tmp_path / "k é.co").as_uri()
    document = {"textDocument": {"uri": uri}}
    first = servers()
    first.open(uri, SMALL)
    run(first, document)
    stop(first)
    second = servers()
    before = second.ask("croqtile/runs", document)  # also of a document that is not open
    validate("history", before)
    assert [(one["id"], one["run"]["function"], one["run"]["verdict"]) for one in before["runs"]] == [
        (0, "add", "verified")
    ]
    assert before["lastGood"] == 0 and "expectations" not in before["runs"][0]["run"]
    second.open(uri, SMALL.replace("x + 1\n", "x + 2\n"))
    run(second, document)
    after = second.ask("croqtile/runs", document)
    assert [(one["id"], one["run"]["verdict"]) for one in after["runs"]] == [(0, "verified"), (1, "wrong")]
    assert after["lastGood"] == 0


def test_what_is_no_file_is_not_kept(servers: Callable[[], Server]) -> None:
    document = {"textDocument": {"uri": "untitled:Untitled-1"}}
    first = servers()
    first.open("untitled:Untitled-1", SMALL)
    run(first, document)
    assert len(first.ask("croqtile/runs", document)["runs"]) == 1
    stop(first)
    assert servers().ask("croqtile/runs", document)["runs"] == []


def test_the_last_run_stands_over_its_kernel(servers: Callable[[], Server]) -> None:
    server = servers()
    uri = "untitled:k.co"
    document = {"textDocument": {"uri": uri}}
    server.open(uri, SMALL)
    show = {"command": "croqtile.showRun", "arguments": [uri, "add"]}
    assert server.ask("workspace/executeCommand", show) == {"message": "it was not run yet"}

    def shown() -> list[Any]:
        found = server.ask("textDocument/codeLens", document)
        return [lens["command"] for lens in found if lens["command"]["command"] == "croqtile.showRun"]

    assert shown() == []
    run(server, document)
    server.until("workspace/codeLens/refresh")
    (lens,) = shown()
    assert lens["arguments"] == [uri, "add"]
    assert lens["title"].startswith("✓ verified · simulated in ")
    result = server.ask("workspace/executeCommand", show)
    validate("runResult", result)
    assert result["result"]["runs"][0]["verdict"] == "verified"
    server.edit(uri, 2, SMALL.replace("x.at(p) + 1", "x.at(p) + 2"))
    assert [lens["title"][:28] for lens in shown()] == ["before an edit: ✓ verified ·"]


def test_a_run_with_macros_of_its_own_speaks_of_no_other_text(servers: Callable[[], Server], tmp_path: Path) -> None:
    """As it stands the text has an error. A new server, which knows no macros of runs, has no lens for it."""
    uri = (tmp_path / "k.co").as_uri()
    document = {"textDocument": {"uri": uri}}
    text = "// croq: run\n__co__ void f(global s32 [8] o) {\n  parallel p by 8 : thread o.at(p) = T;\n}\n"

    def titles(server: Server) -> list[str]:
        found = server.ask("textDocument/codeLens", document)
        return [one["command"]["title"] for one in found if one["command"]["command"] == "croqtile.showRun"]

    server = servers()
    server.open(uri, text)
    (one,) = run(server, document, defines={"T": "9"})
    assert one["verdict"] == "consistent"
    (title,) = titles(server)
    assert title.startswith("with T=9: ✓ consistent · ")
    stop(server)
    again = servers()
    again.open(uri, text)
    assert titles(again) == []
    assert len(again.ask("croqtile/runs", document)["runs"]) == 1


def test_a_new_server_has_the_lens_of_the_last_run(servers: Callable[[], Server], tmp_path: Path) -> None:
    """That of the run, also after an edit; behind it what is kept of the run, in the shape of one that ended now."""
    uri = (tmp_path / "k é.co").as_uri()
    document = {"textDocument": {"uri": uri}}

    def shown(server: Server) -> list[str]:
        found = server.ask("textDocument/codeLens", document)
        return [lens["command"]["title"] for lens in found if lens["command"]["command"] == "croqtile.showRun"]

    first = servers()
    first.open(uri, TWO)
    run(first, document, runLine=1)
    run(first, document)
    (title,) = shown(first)
    assert title.startswith("✓ verified · 2 runs · simulated in ")
    stop(first)
    second = servers()
    second.open(uri, TWO)
    assert shown(second) == [title]
    second.edit(uri, 2, TWO.replace("x.at(p) + 1", "x.at(p) + 2"))
    assert shown(second) == [f"before an edit: {title}"]
    second.edit(uri, 3, TWO)
    assert shown(second) == [title]
    kept = second.ask("workspace/executeCommand", {"command": "croqtile.showRun", "arguments": [uri, "add"]})
    validate("runResult", kept)
    validate("run", kept["result"])
    assert (kept["id"], kept["state"], kept["task"]) == (0, "done", "run")
    assert [(one["name"], one["verdict"], len(one["notes"])) for one in kept["result"]["runs"]] == [
        ("a", "verified", 1),
        ("b", "verified", 1),
    ]
    run(second, document, runLine=0)
    (title,) = shown(second)
    assert title.startswith("✓ verified · simulated in ")


def test_one_run_line_is_run_alone(servers: Callable[[], Server]) -> None:
    server = servers()
    document = {"textDocument": {"uri": "untitled:k.co"}}
    server.open("untitled:k.co", TWO)
    assert [one["name"] for one in run(server, document, entry="add", runLine=1)] == ["b"]
    assert [one["name"] for one in run(server, document)] == ["a", "b"]
    result = ended(server, server.ask("croqtile/run", document | {"engine": "sim", "runLine": 2})["id"])
    assert (result["state"], result["offer"]) == ("refused", None)
    assert result["message"].endswith("'add' has no run line of number 2, counted from 0")


def test_tests_of_a_document_and_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "é.co").write_text("// 😀\n" + TWO, encoding="utf-8")
    (tmp_path / "without.co").write_text("__co__ void f() {}", encoding="utf-8")
    (tmp_path / "broken.co").write_bytes(b"// croq: expect \xff\xfe")
    uri, opened = (tmp_path / "a b" / "é.co").as_uri(), (tmp_path / "without.co").as_uri()
    server = Server()
    try:
        folders = [{"uri": tmp_path.as_uri(), "name": "w"}]
        server.send(
            "initialize",
            1,
            params={"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": folders},
        )
        server.answer(1)
        server.send("initialized", params={})
        found = server.ask("croqtile/tests")
        validate("tests", found)
        (file,) = found["files"]
        assert file["uri"] == uri
        assert [(one["function"], one["runLine"], one["label"]) for one in file["tests"]] == [
            ("add", 0, "a"),
            ("add", 1, "b"),
        ]
        assert file["tests"][1]["range"]["start"] == {"line": 2, "character": 0}
        server.open(opened, "/* 😀 */ " + SMALL)
        (one,) = server.ask("croqtile/tests", {"textDocument": {"uri": opened}})["files"]
        assert one["tests"][0]["range"]["start"] == {"line": 0, "character": 9}
        assert len(server.ask("croqtile/tests")["files"]) == 2
        for name in ("broken.co", "gone.co"):
            other = (tmp_path / name).as_uri()
            assert server.ask("croqtile/tests", {"textDocument": {"uri": other}})["files"] == [
                {"uri": other, "tests": []}
            ]
        with pytest.raises(FailedError) as failed:
            server.ask("croqtile/tests", {"textDocument": 3})
        assert failed.value.code == -32602
    finally:
        server.process.kill()
        server.process.wait()


def test_a_client_that_refuses_to_ask_anew_for_lenses_is_left_alone(servers: Callable[[], Server]) -> None:
    server = servers()
    server.error = {"code": -32603, "message": "not now"}
    server.open("untitled:k.co", SMALL)
    document = {"textDocument": {"uri": "untitled:k.co"}}
    run(server, document)
    server.until("workspace/codeLens/refresh")
    assert server.ask("croqtile/runs", document)["runs"]
    assert (server.log(), server.messages()) == ("", [])


class Unread(History):
    """A history whose reading fails in a way of its own."""

    def read(self, document: str) -> list[Kept]:
        raise RuntimeError("unread")


class Counted(History):
    """A history that notes what it was asked for, and has nothing."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def read(self, document: str) -> list[Kept]:
        self.asked.append(document)
        return []


class Answering(WorkerProcess):
    """No process: an order is answered by a verified run."""

    def __init__(self) -> None:
        pass

    async def ask(self, order: Order, on_news: Callable[[News], None] = lambda _: None) -> Outcome:
        await asyncio.sleep(0.01)
        return Outcome({"runs": [{"function": "add", "overload": 0, "verdict": "verified"}]})


def test_a_history_that_cannot_be_read_takes_no_result_and_no_run() -> None:
    async def play() -> tuple[Run, Runs]:
        runs = Runs(Answering(), Unread())
        snapshot = Snapshot("file:///k.co", 1, SMALL)

        async def follow(run: Run) -> None:
            try:
                with pytest.raises(RuntimeError, match="unread"):
                    await runs.perform(run, lambda _: None)
            finally:
                runs.over(run)

        run, _ = runs.start(snapshot, Order("run", None, {"engine": "sim"}), follow)
        assert run.task is not None
        await run.task
        return run, runs

    run, runs = asyncio.run(play())
    assert (run.state, run.data["runs"][0]["verdict"]) == ("done", "verified")
    assert runs.current is None and list(runs.ran("file:///k.co")) == [("add", 0)]


def test_histories_of_a_hundred_documents_are_held_and_older_ones_read_again() -> None:
    kept = Counted()

    async def play() -> None:
        runs = Runs(Answering(), kept)
        for number in (*range(100), 0, 100, 0, 1):  # 0 was asked for just before 100 came, so 1 went
            await runs.history(f"file:///{number}.co", None)

    asyncio.run(play())
    assert kept.asked == [f"file:///{number}.co" for number in (*range(101), 1)]


OVERLOADS = """// croq: run
// croq: expect x == 1
__co__ void f(global s32 [8] x) { parallel p by 8 : thread { x.at(p) = 1; } }
// croq: run
// croq: expect x == 2
__co__ void f(global f32 [8] x) { parallel p by 8 : thread { x.at(p) = 1.0f; } }
"""


def test_two_functions_of_one_name_each_have_their_own_run(servers: Callable[[], Server], tmp_path: Path) -> None:
    """In the lenses of this server and of the next one, above which a line was put meanwhile."""
    uri = (tmp_path / "k.co").as_uri()
    document = {"textDocument": {"uri": uri}}

    def told(server: Server) -> list[tuple[int, str]]:
        found = server.ask("textDocument/codeLens", document)
        shown = [one for one in found if one["command"]["command"] == "croqtile.showRun"]
        return [(one["range"]["start"]["line"], one["command"]["title"].split(" · ")[0]) for one in shown]

    first = servers()
    first.open(uri, OVERLOADS)
    runs = run(first, document)
    assert [(one["function"], one["overload"], one["verdict"]) for one in runs] == [
        ("f", 0, "verified"),
        ("f", 1, "wrong"),
    ]
    assert told(first) == [(2, "✓ verified"), (5, "✗ wrong")]
    stop(first)
    second = servers()
    second.open(uri, f"// more\n{OVERLOADS}")
    assert told(second) == [(3, "✓ verified"), (6, "✗ wrong")]


def test_one_of_two_functions_of_a_name_is_run_alone(server: Server) -> None:
    """As the Test Explorer and the lenses ask for it; over the only function of a name these say no number."""
    uri = "untitled:k.co"
    document = {"textDocument": {"uri": uri}}
    server.start()
    server.open(uri, OVERLOADS + SMALL)
    (file,) = server.ask("croqtile/tests", document)["files"]
    tests = [{name: one[name] for name in ("function", "overload", "runLine")} for one in file["tests"]]
    assert tests[:2] == [{"function": "f", "overload": number, "runLine": 0} for number in (0, 1)]
    for number, verdict in enumerate(("verified", "wrong")):
        (one,) = run(server, document, entry="f", overload=number, runLine=0)
        assert (one["overload"], one["verdict"]) == (number, verdict)
    lenses = [one["command"]["arguments"] for one in server.ask("textDocument/codeLens", document)]
    assert [uri, "f", {"overload": 1}] in lenses and [uri, "add"] in lenses
    arguments = [uri, "f", {"overload": 0}]
    shown = server.ask("workspace/executeCommand", {"command": "croqtile.showRun", "arguments": arguments})
    assert [one["verdict"] for one in shown["result"]["runs"]] == ["verified"]
    result = ended(server, server.ask("croqtile/run", document | {"engine": "sim", "entry": "f", "overload": 2})["id"])
    assert (result["state"], result["message"]) == (
        "refused",
        "untitled:k.co: there is no function 'f' of number 2, counted from 0",
    )
    with pytest.raises(FailedError, match="'overload' must be a whole number"):
        server.ask("croqtile/run", document | {"entry": "f", "overload": "1"})
