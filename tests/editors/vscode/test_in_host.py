"""The suites that run inside VS Code, each on a workspace of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.seeds import BOOTSTRAP, EXAMPLES, PIPELINE
from tests.editors.vscode.code_server import CodeServer, python_with_croqtile
from tests.editors.vscode.in_host import run_suite

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
BROKEN = PIPELINE.replace(BOOTSTRAP, "")


def put(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def settings(folder: Path, **values: object) -> None:
    named = {f"croqtile.{name}": value for name, value in values.items()}
    put(folder / ".vscode" / "settings.json", json.dumps(named))


def passes(server: CodeServer, extension: Path, suite: str, folder: Path) -> None:
    ran = run_suite(server, extension, suite, folder)
    trouble = ran.trouble()
    assert not trouble, trouble
    assert ran.elsewhere == ()


def test_a_folder_with_an_odd_name(vscode: CodeServer, extension: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a b (é) #1 %41 +"
    python_with_croqtile(folder / ".venv" / "bin" / "python")
    put(folder / "k 1.co", BROKEN)
    passes(vscode, extension, "folder", folder)


def test_every_command(vscode: CodeServer, extension: Path, tmp_path: Path) -> None:
    python_with_croqtile(tmp_path / ".venv" / "bin" / "python")
    put(tmp_path / "add.co", (EXAMPLES / "add.co").read_text(encoding="utf-8"))
    passes(vscode, extension, "commands", tmp_path)


def test_runs_on_a_machine_without_a_card(vscode: CodeServer, extension: Path, tmp_path: Path) -> None:
    python_with_croqtile(tmp_path / ".venv" / "bin" / "python")
    put(tmp_path / "k.co", BROKEN)
    passes(vscode, extension, "runs", tmp_path)


def test_no_python_environment(vscode: CodeServer, extension: Path, tmp_path: Path) -> None:
    put(tmp_path / "add.co", (EXAMPLES / "add.co").read_text(encoding="utf-8"))
    passes(vscode, extension, "bare", tmp_path)


def test_a_server_that_is_killed_and_a_python_that_goes(vscode: CodeServer, extension: Path, tmp_path: Path) -> None:
    python_with_croqtile(tmp_path / ".venv" / "bin" / "python")
    put(tmp_path / "k.co", BROKEN)
    passes(vscode, extension, "faults", tmp_path)


def test_roots_with_settings_of_their_own(vscode: CodeServer, extension: Path, tmp_path: Path) -> None:
    python_with_croqtile(tmp_path / "one" / ".venv" / "bin" / "python")
    folders = ["one", "two", "two/nested"]
    for name in (*folders, "."):
        put(tmp_path / name / ("outside.co" if name == "." else "k.co"), PIPELINE)
    settings(tmp_path / "two", dialect="current")
    settings(tmp_path / "two" / "nested", dialect="any")
    workspace = put(tmp_path / "w.code-workspace", json.dumps({"folders": [{"path": name} for name in folders]}))
    passes(vscode, extension, "roots", workspace)


def test_an_untrusted_workspace_runs_nothing(careful: CodeServer, extension: Path, tmp_path: Path) -> None:
    folder, mark = tmp_path / "w", tmp_path / "it ran"
    for name in (".venv/bin/python", "venv/bin/python", "python3", "croq"):
        python_with_croqtile(folder / name, f"touch '{mark}'")
    settings(folder, python="${workspaceFolder}/.venv/bin/python")
    put(folder / "k.co", BROKEN)
    passes(careful, extension, "untrusted", folder)
    assert not mark.exists()
