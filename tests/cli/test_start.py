"""Ctrl-C while the modules of `croq` are still being loaded."""

from __future__ import annotations

import sys
import tomllib
from importlib.abc import MetaPathFinder
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import croqc.cli

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


class Interrupted(MetaPathFinder):
    """The user presses Ctrl-C when a module is looked for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == self.name:
            raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["croqc.cli.main", "croqc.cli.check"])
def test_it_is_one_line_and_no_traceback(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["scripts"]["croq"]
    run = EntryPoint("croq", script, "console_scripts").load()
    for module in ("croqc.cli.main", "croqc.cli.check"):
        monkeypatch.delitem(sys.modules, module, raising=False)
        monkeypatch.setattr(croqc.cli, module.rpartition(".")[2], None, raising=False)  # as it was, behind the test
    monkeypatch.setattr(sys, "meta_path", [Interrupted(name), *sys.meta_path])
    monkeypatch.setattr(sys, "argv", ["croq", "check", "file.co"])
    assert run() == 130
    assert capsys.readouterr() == ("", "croq: stopped\n")
