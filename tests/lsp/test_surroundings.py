"""A machine like those that one reaches from afar: no network, a home that nobody can write to, other people."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croqc.engines.gpu.lock import runtime_folder
from tests.lsp.bare import Server
from tests.lsp.test_runs import SMALL

pytestmark = pytest.mark.slow
COURSE = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
BROKEN = COURSE.replace("trigger empty[s];", ";")
URI = "untitled:k.co"
DOCUMENT = {"textDocument": {"uri": URI}}
# Whatever looks for another machine, in any process of the server, ends that process, and is written down.
WATCH = """
import os, sys
def hook(event, args):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.bind", "socket.sendto"):
        if event.startswith("socket.get") or isinstance(args[1], tuple):
            with open(os.environ["WATCHED"], "a") as file:
                file.write(f"{event} {args}\\n")
            os._exit(77)
sys.addaudithook(hook)
"""


def session(server: Server) -> None:
    """What one does in a morning: a mistake, its verdict and hover, a run, generated code, PTX, the doctor."""
    server.start()
    server.open(URI, BROKEN)
    server.until(
        "textDocument/publishDiagnostics",
        lambda one: "credit-deadlock" in [item["code"] for item in one["diagnostics"]],
    )
    line = BROKEN[: BROKEN.index("wait full[stage]")].count("\n")
    hover = server.ask("textDocument/hover", DOCUMENT | {"position": {"line": line, "character": 16}})
    assert "Credit flow fails" in str(hover["contents"])
    server.edit(URI, 2, SMALL)
    number = server.ask("croqtile/run", DOCUMENT | {"engine": "sim"})["id"]
    result = server.until("croqtile/runResult", lambda one: one["id"] == number)
    assert [one["verdict"] for one in result["result"]["runs"]] == ["verified"]
    assert len(server.ask("croqtile/runs", DOCUMENT)["runs"]) == 1
    for form in ("cuda", "ptx"):
        assert server.ask("croqtile/generated", DOCUMENT | {"form": form})["code"]["text"]
    assert server.ask("croqtile/doctor")["findings"]
    assert server.ask("workspace/symbol", {"query": "add"})
    assert (server.messages(), server.log()) == ([], "")


def test_nothing_needs_or_looks_for_a_network(launched: Callable[..., Server], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    watched = tmp_path / "watched"
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    session(launched(env=os.environ | {"PYTHONPATH": paths, "WATCHED": str(watched)}))
    assert not watched.exists()


def test_the_watch_sees_who_looks_for_a_network(launched: Callable[..., Server], tmp_path: Path) -> None:
    """Else the test above would say nothing."""
    (tmp_path / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    watched = tmp_path / "watched"
    command = ("python", "-c", "import socket; socket.create_connection(('192.0.2.1', 9), 1)")
    env = os.environ | {"PYTHONPATH": str(tmp_path), "WATCHED": str(watched)}
    assert launched(command=command, env=env).process.wait(60) == 77
    assert "192.0.2.1" in watched.read_text(encoding="utf-8")


def test_a_home_that_nobody_can_write_to(launched: Callable[..., Server], tmp_path: Path) -> None:
    """No folder of the user's can be made, not even by root: what would be kept there is made anew, or forgotten."""
    (tmp_path / "home").write_text("", encoding="utf-8")
    env: dict[str, Any] = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    session(launched(env=env | {"HOME": str(tmp_path / "home")}))
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_two_users_of_one_machine_have_folders_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folder of temporary files, which they share; what the other one made is not theirs to open."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    folders = []
    for user in (1000, 1001):
        monkeypatch.setattr(os, "getuid", lambda user=user: user)
        folders.append(runtime_folder())
    assert folders[0] != folders[1] and folders[0].parent == folders[1].parent


def test_two_users_work_at_once(launched: Callable[..., Server], tmp_path: Path) -> None:
    """Each with a home of their own: neither sees the other's runs of the same file."""
    file = tmp_path / "k.co"
    file.write_text(SMALL, encoding="utf-8")
    document = {"textDocument": {"uri": file.as_uri()}}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    first, second = (launched(env=kept | {"HOME": str(tmp_path / name)}) for name in ("ada", "ben"))
    for server in (first, second):
        server.start()
        server.open(file.as_uri(), SMALL)
    number = first.ask("croqtile/run", document | {"engine": "sim"})["id"]
    first.until("croqtile/runResult", lambda one: one["id"] == number)
    assert [len(one.ask("croqtile/runs", document)["runs"]) for one in (first, second)] == [1, 0]
