"""What breaks around the server: workers, disks, settings, Python itself. It tells once what happened, and goes on."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.bare import INITIALIZE, FailedError, Server
from tests.lsp.test_runs import LARGE, SMALL

BROKEN = "__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { x.at(p) = zz; }\n}\n"
COURSE = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
DIAGNOSTICS = "textDocument/publishDiagnostics"


def codes(server: Server, uri: str, version: int = 1) -> list[str]:
    shown = server.until(DIAGNOSTICS, lambda one: (one["uri"], one.get("version")) == (uri, version))
    return [item["code"] for item in shown["diagnostics"]]


# --- Python --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_environment_that_is_deleted_while_it_runs(launched: Callable[..., Server], tmp_path: Path) -> None:
    """What is loaded goes on: findings follow edits. That no process can be started is said once, in words that help;
    each request is answered."""
    environment = tmp_path / "environment"
    (environment / "bin").mkdir(parents=True)
    python = environment / "bin" / "python"
    python.symlink_to(os.path.realpath(sys.executable))
    for package in ("compiler/croqc", "server/croqls"):
        shutil.copytree(package, environment / Path(package).name, ignore=shutil.ignore_patterns("__pycache__"))
    paths = os.pathsep.join([str(environment), *(path for path in sys.path if path.endswith("site-packages"))])
    server = launched(command=(str(python), "-m", "croqls"), env=os.environ | {"PYTHONPATH": paths})
    server.start()
    for name in ("a", "b"):
        server.open(f"untitled:{name}.co", BROKEN)
    assert codes(server, "untitled:a.co") == ["undeclared-name"]
    shutil.rmtree(environment)
    for version in range(2, 5):
        for name in ("a", "b"):
            server.edit(f"untitled:{name}.co", version, BROKEN.replace("zz", "1" if version == 4 else f"zz{version}"))
    assert codes(server, "untitled:b.co", 3) == ["undeclared-name"]
    assert codes(server, "untitled:b.co", 4) == []
    gone = f"{python} is gone; start the server anew with a Python that is there"
    document = {"textDocument": {"uri": "untitled:a.co"}}
    with pytest.raises(FailedError) as failed:
        server.ask("croqtile/sharedMemory", document)
    assert (failed.value.code, failed.value.message) == (-32803, gone)
    number = server.ask("croqtile/run", document | {"engine": "sim"})["id"]
    result = server.until("croqtile/runResult", lambda one: one["id"] == number)
    assert (result["state"], result["message"]) == ("refused", gone)
    assert server.ask("textDocument/hover", document | {"position": {"line": 1, "character": 30}}) is not None
    for version in range(5, 200):  # until the verdict process is known to be dead, and then some more
        for child in server.children():
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)
        for name in ("a", "b"):
            server.edit(f"untitled:{name}.co", version, BROKEN.replace("zz", str(version)))
            assert codes(server, f"untitled:{name}.co", version) == []
        if len([text for text in server.messages() if gone in text]) and version > 10:
            break
    assert [text for text in server.messages() if "died" not in text] == [f"no verdicts on credit flow: {gone}"]


@pytest.mark.parametrize("task", ["croqtile/ir", "croqtile/generated"])
def test_a_process_that_dies_at_a_request_is_told_and_the_next_one_works(server: Server, task: str) -> None:
    """Killed while it works: with the verdict process gone too."""
    server.start()
    server.open("untitled:k.co", COURSE)
    document = {"textDocument": {"uri": "untitled:k.co"}}
    server.send(task, 90, params=document | {"form": "sass"})
    patience = time.monotonic() + 60
    while b"spawn_main" not in b"".join(Path(f"/proc/{one}/cmdline").read_bytes() for one in server.children()):
        assert time.monotonic() < patience, "no process was started for it"
        time.sleep(0.01)
    for child in server.children():
        os.kill(child, signal.SIGKILL)
    answer = server.answer(90)
    if "error" in answer:  # else it was done already
        assert answer["error"]["message"].startswith("the process that worked at it died; try again")
    assert server.ask("croqtile/ir", document)["text"]


# --- disk ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_full_disk_keeps_no_tables_and_nothing_else_is_missing(
    launched: Callable[..., Server], tmp_path: Path
) -> None:
    """No file may grow beyond some bytes, and the cache folder is empty at the start and at the end."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    server = launched(env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)}, preexec_fn=limit)
    server.start()
    server.open("untitled:k.co", BROKEN)
    assert codes(server, "untitled:k.co") == ["undeclared-name"]
    server.edit("untitled:k.co", 2, SMALL)
    document = {"textDocument": {"uri": "untitled:k.co"}}
    assert server.ask("croqtile/sharedMemory", document)["kernels"][0]["bytes"] == 0
    number = server.ask("croqtile/run", document | {"engine": "sim"})["id"]
    result = server.until("croqtile/runResult", lambda one: one["id"] == number)
    assert [one["verdict"] for one in result["result"]["runs"]] == ["verified"]
    assert server.messages() == []
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


# --- settings ------------------------------------------------------------------------------------


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [folder, pipe, loop])
def test_what_is_no_settings_file_is_none(shared: Server, tmp_path: Path, make: Callable[[Path], None]) -> None:
    """Nothing is waited for: nobody will ever write to the pipe."""
    make(tmp_path / "croq.toml")
    uri = (tmp_path / "k.co").as_uri()
    shared.open(uri, BROKEN)
    assert codes(shared, uri) == ["undeclared-name"]


def test_a_pipe_among_the_files_of_a_workspace_is_not_read(server: Server, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.co")
    (tmp_path / "b.co").write_text(SMALL, encoding="utf-8")
    server.start(folders=[{"uri": tmp_path.as_uri(), "name": "w"}])
    assert [one["name"] for one in server.ask("workspace/symbol", {"query": "add"})] == ["add"]
    assert [Path(one["uri"]).name for one in server.ask("croqtile/tests")["files"]] == ["b.co"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\xff\xfe", "croq.toml:1: is not UTF-8 text (byte 0); save it as UTF-8"),
        (b"arch = ", "Invalid value"),
        (b'arch = "sm_99"', "unknown architecture 'sm_99'; known are "),
        (b'[defines]\n"1x" = 2', "'1x' in defines is no name of a macro"),
        (b"target = 3", "unknown key 'target'; known are arch, dialect, defines, allow"),
        (b'\nalow = ["unused-event"]', "croq.toml:2:1: unknown key 'alow'; did you mean 'allow'?"),
        (b'allow = ["unusd-event"]', "croq.toml:1:11: there is no rule 'unusd-event'; did you mean 'unused-event'?"),
    ],
)
def test_a_settings_file_that_cannot_be_read_is_named_and_left_out(
    shared: Server, tmp_path: Path, data: bytes, says: str
) -> None:
    """Then it is mended, and followed."""
    project = tmp_path / "croq.toml"
    project.write_bytes(data)
    uri = (tmp_path / "k.co").as_uri()
    shared.open(uri, BROKEN)
    assert codes(shared, uri) == ["undeclared-name"]
    (text,) = [one for one in shared.messages() if str(project) in one]
    assert says in text
    count = len(shared.heard)
    project.write_bytes(b'[defines]\nzz = "1"\n')
    shared.send("workspace/didChangeWatchedFiles", params={"changes": [{"uri": project.as_uri(), "type": 2}]})
    assert shared.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    lists = [one["params"] for one in shared.heard[count:] if one["method"] == DIAGNOSTICS]
    assert [one["diagnostics"] for one in lists if one["uri"] == uri][-1] == []


@pytest.mark.parametrize("address", ["file://[::1/k.co", "http://[bad", "//[x", "file:///\ud800/k.co", "\ud800"])
def test_an_address_of_no_known_form_is_a_document_and_a_folder(server: Server, address: str) -> None:
    """Every request about it is answered as about any other."""
    folder = {"uri": address, "name": "w"}
    server.send("initialize", 1, params=INITIALIZE | {"rootUri": address, "workspaceFolders": [folder]})
    assert "capabilities" in server.answer(1)["result"]
    server.send("initialized", params={})
    server.open(address, BROKEN)
    assert codes(server, address) == ["undeclared-name"]
    document = {"textDocument": {"uri": address}}
    place = document | {"position": {"line": 0, "character": 29}}
    assert [one["name"] for one in server.ask("textDocument/documentSymbol", document)] == ["f"]
    assert server.ask("textDocument/hover", place) is not None
    assert address in server.ask("textDocument/rename", place | {"newName": "y"})["changes"]
    assert server.ask("croqtile/runs", document)["runs"] == []
    assert server.ask("croqtile/sharedMemory", document)["version"] == 1
    assert [one["name"] for one in server.ask("workspace/symbol", {"query": "f"})] == ["f"]
    assert server.ask("croqtile/tests")["files"] == []
    server.send("textDocument/didClose", params=document)
    server.send("workspace/didChangeWorkspaceFolders", params={"event": {"added": [], "removed": [folder]}})
    assert (server.messages(), server.log()) == ([], "")


@pytest.mark.parametrize(
    "named", [{"rootUri": 1}, {"rootPath": 1}, {"rootUri": 1, "workspaceFolders": []}, {"rootUri": 1, "rootPath": 1}]
)
def test_the_root_is_the_folder_of_a_client_that_names_no_others(
    server: Server, tmp_path: Path, named: dict[str, Any]
) -> None:
    """As ALE and Kate do; files that are not open are found there."""
    folder = tmp_path / "a b é"
    folder.mkdir()
    (folder / "k.co").write_text(f"// croq: expect x == 1\n{KERNEL}", encoding="utf-8")
    known = {"rootUri": folder.as_uri(), "rootPath": str(folder)}
    params = {"processId": None, "capabilities": {}} | {name: known.get(name, value) for name, value in named.items()}
    server.send("initialize", 1, params=params)
    server.answer(1)
    server.send("initialized", params={})
    found = server.ask("workspace/symbol", {"query": ""})
    assert [one["location"]["uri"] for one in found] == [(folder / "k.co").as_uri()]
    assert [one["uri"] for one in server.ask("croqtile/tests", {})["files"]] == [(folder / "k.co").as_uri()]


@pytest.mark.parametrize("name", ["x" * 5000, "%00", "a/" * 300, "%ff%fe", "..", ""])
def test_an_address_that_can_be_no_file_is_a_document_all_the_same(shared: Server, name: str) -> None:
    uri = f"file:///{name}/k.co"
    shared.open(uri, BROKEN)
    assert codes(shared, uri) == ["undeclared-name"]
    shared.send("textDocument/didClose", params={"textDocument": {"uri": uri}})
    assert not [one for one in shared.messages() if "Error in server" in one]


# --- several folders (scenario 12) ---------------------------------------------------------------

KERNEL = BROKEN.replace("zz", "SIZE")


def test_folders_with_settings_of_their_own(server: Server, tmp_path: Path) -> None:
    """Two roots, one inside another, a file outside of all; then a live change, and a folder that comes later."""
    roots = {name: tmp_path / name for name in ("one", "two", "one/inner", "late")}
    for path in roots.values():
        path.mkdir()
    settings: dict[str | None, dict[str, Any]] = {
        None: {"defines": {}},
        roots["one"].as_uri(): {"defines": {"SIZE": "1"}},
        roots["two"].as_uri(): {"defines": {"SYZE": "1"}},
        roots["one/inner"].as_uri(): {"arch": "sm_80"},
        roots["late"].as_uri(): {"defines": {"SIZE": "1"}, "archs": "sm_80"},
    }
    server.respond["workspace/configuration"] = lambda asked: [settings[one.get("scopeUri")] for one in asked["items"]]
    named = [{"uri": roots[name].as_uri(), "name": name} for name in ("one", "two", "one/inner")]
    server.start({"workspace": {"configuration": True, "workspaceFolders": True}}, folders=named)
    server.until("workspace/configuration")
    places = [*(path / "k.co" for path in roots.values()), tmp_path / "k.co", tmp_path / "one-more" / "k.co"]
    uris = [path.as_uri() for path in places]
    for uri in uris:
        server.open(uri, KERNEL)
    wrong = ["undeclared-name"]
    assert [codes(server, uri) for uri in uris] == [[], wrong, wrong, wrong, wrong, wrong]

    def newest() -> list[list[str]]:
        server.ask("textDocument/documentSymbol", {"textDocument": {"uri": uris[0]}})
        lists = {one["params"]["uri"]: one["params"] for one in server.heard if one["method"] == DIAGNOSTICS}
        return [[item["code"] for item in lists[uri]["diagnostics"]] for uri in uris]

    settings[roots["two"].as_uri()] = {"defines": {"SIZE": "1"}}
    settings[roots["one"].as_uri()] = {}
    server.send("workspace/didChangeConfiguration", params={"settings": None})
    server.until(DIAGNOSTICS, lambda one: one["uri"] == uris[1] and not one["diagnostics"])
    assert newest() == [wrong, [], wrong, wrong, wrong, wrong]
    added = {"added": [{"uri": roots["late"].as_uri(), "name": "late"}], "removed": [named[1]]}
    server.send("workspace/didChangeWorkspaceFolders", params={"event": added})
    server.until(DIAGNOSTICS, lambda one: one["uri"] == uris[3] and not one["diagnostics"])
    assert newest() == [wrong, wrong, wrong, [], wrong, wrong]
    assert server.messages() == ["unknown setting 'croqtile.archs'; did you mean 'arch'?"]


# --- busy and idle -------------------------------------------------------------------------------


def seconds(pid: int) -> float:
    """Processor time of a process, user and system, by Linux's count."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def turns(pid: int) -> int:
    """How often threads of a process have begun to wait, by Linux's count: whatever wakes up waits again."""
    said = "".join(path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/status"))
    return sum(int(count) for count in re.findall(r"^voluntary_ctxt_switches:\s*(\d+)", said, re.MULTILINE))


@pytest.mark.slow
def test_nothing_is_done_while_nobody_asks(server: Server) -> None:
    """With every process started there comes a second in which no thread of them wakes up; one that looks for
    something every so often never lets it come."""
    server.start()
    server.open("untitled:k.co", SMALL)
    document = {"textDocument": {"uri": "untitled:k.co"}}
    assert server.ask("croqtile/sharedMemory", document)
    number = server.ask("croqtile/run", document | {"engine": "sim"})["id"]
    server.until("croqtile/runResult", lambda one: one["id"] == number)
    everything = {server.process.pid, *server.children()}
    assert len(everything) >= 5  # with Python's own helper
    seen = []
    for _ in range(20):  # what is behind an answer takes its time
        before = sum(turns(pid) for pid in everything)
        time.sleep(1.0)
        seen.append(sum(turns(pid) for pid in everything) - before)
        if seen[-1] == 0:
            return
    pytest.fail(f"threads that woke up, second by second: {seen}")


@pytest.mark.slow
def test_hovers_cost_no_more_while_a_run_and_a_compile_are_under_way(server: Server) -> None:
    """All are answered meanwhile, and take the server no more processor time than before."""
    server.start()
    server.open("untitled:long.co", LARGE)
    server.open("untitled:k.co", COURSE)
    document = {"textDocument": {"uri": "untitled:k.co"}}
    line = COURSE[: COURSE.index("wait full[stage]")].count("\n")
    places = [document | {"position": {"line": line, "character": column}} for column in (10, 16)]

    def hovers() -> float:
        before = seconds(server.process.pid)
        for turn in range(200):
            assert server.ask("textDocument/hover", places[turn % 2]) is not None
        return seconds(server.process.pid) - before

    hovers()
    alone = hovers()
    number = server.ask("croqtile/run", {"textDocument": {"uri": "untitled:long.co"}, "engine": "sim"})["id"]
    server.until("croqtile/runProgress")
    server.send("croqtile/generated", 700, params=document | {"form": "sass"})
    busy = hovers()
    running = server.ask("croqtile/runs", {"textDocument": {"uri": "untitled:long.co"}})["running"]
    assert running == number  # the run is still under way
    assert busy < 2 * alone + 0.1
    assert server.ask("croqtile/runCancel")["cancelled"]


@pytest.mark.slow
def test_a_macro_of_a_long_file_is_renamed_beside_the_loop(server: Server) -> None:
    """What is asked meanwhile is answered first; an edit in between is not overwritten; the end waits for none."""
    text = "#define TILE 16\n" + "".join(
        f"__co__ void f{number}(global s32 [TILE] x) {{\n" + "  x.at(0) = TILE;\n" * 8 + "}\n" for number in range(400)
    )
    server.start()
    server.open("untitled:k.co", text)
    document = {"textDocument": {"uri": "untitled:k.co"}}
    assert len(server.ask("textDocument/documentSymbol", document)) == 401
    rename = document | {"position": {"line": 0, "character": 9}, "newName": "EDGE"}
    before = seconds(server.process.pid)
    server.send("textDocument/rename", 800, params=rename)
    server.send("textDocument/hover", 801, params=document | {"position": {"line": 1, "character": 14}})
    order = []
    while len(order) < 2:
        message = server.read()
        if "method" not in message:
            order.append(message)
    whole = seconds(server.process.pid) - before
    assert [one["id"] for one in order] == [801, 800]
    assert len(order[1]["result"]["changes"]["untitled:k.co"]) == 1 + 400 * 9
    server.send("textDocument/rename", 802, params=rename)
    server.edit("untitled:k.co", 2, text + "\n")
    assert server.answer(802)["error"]["code"] == -32801
    before = seconds(server.process.pid)
    server.send("textDocument/rename", 803, params=rename)
    server.send("shutdown", 804)
    server.send("exit")
    os.waitid(os.P_PID, server.process.pid, os.WEXITED | os.WNOWAIT)  # its times can be read until it is waited for
    assert seconds(server.process.pid) - before < 0.5 * whole
    assert server.process.wait(60) == 0
