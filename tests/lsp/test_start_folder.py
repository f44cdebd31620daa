"""The folder that an editor starts the server in: nothing of it is needed, and nothing in it is the server's."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lsp.bare import Server
from tests.lsp.test_addresses import HANGS

BROKEN = "__co__ void f(global s32 [8] x) {\n  parallel p by 8 : thread { x.at(p) = zz; }\n}\n"
DIAGNOSTICS = "textDocument/publishDiagnostics"


@pytest.mark.parametrize("early", [True, False])
def test_the_folder_that_it_was_started_in_is_deleted(
    launched: Callable[..., Server], tmp_path: Path, early: bool
) -> None:
    """Before its first process is started, or behind it: verdicts, runs, pages and the compiler go on."""
    folder = tmp_path / "start"
    folder.mkdir()
    server = launched(
        cwd=folder, env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}
    )
    server.start()
    if not early:
        server.open("untitled:a.co", HANGS)
        server.until(DIAGNOSTICS, lambda one: "credit-deadlock" in [item["code"] for item in one["diagnostics"]])
    folder.rmdir()
    server.open("untitled:b.co", HANGS)
    server.until(
        DIAGNOSTICS,
        lambda one: (
            one["uri"] == "untitled:b.co" and "credit-deadlock" in [item["code"] for item in one["diagnostics"]]
        ),
    )
    document = {"textDocument": {"uri": "untitled:b.co"}}
    assert server.ask("croqtile/flowPage", document | {"nonce": "a" * 16})["html"]
    assert "kernel" in server.ask("croqtile/generated", document | {"form": "ptx"})["code"]["text"]
    server.ask("croqtile/run", document | {"engine": "sim"})
    assert server.until("croqtile/runResult")["result"]["runs"][0]["verdict"] == "hangs"
    assert server.messages() == []


def test_modules_of_the_folder_that_it_is_started_in_are_not_its_own(
    launched: Callable[..., Server], tmp_path: Path
) -> None:
    for name in ("croqls", "lsprotocol", "queue"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger was run')\n", encoding="utf-8")
    paths = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    command = (sys.executable, "-P", "-m", "croqc.cli.main", "lsp")
    server = launched(command=command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths})
    server.start()
    server.open("untitled:a.co", BROKEN)
    assert [one["code"] for one in server.until(DIAGNOSTICS)["diagnostics"]] == ["undeclared-name"]
