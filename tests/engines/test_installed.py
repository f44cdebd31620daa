"""The command that adds an extra fits how the tools were installed: from a checkout's folder, or by name."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from croqc.engines import installed
from croqc.service.doctor import Broken, Missing, NoAnswer, words


def record(folder: Path, **info: object) -> str:
    return json.dumps({"url": folder.as_uri(), "dir_info": info})


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "my tools"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    return folder


def test_a_checkout_is_installed_from_its_folder(checkout: Path, tmp_path: Path) -> None:
    editable = record(checkout, editable=True)
    assert installed.requirement(editable, "gpu", checkout) == "-e '.[gpu]'"
    assert installed.requirement(editable, "cuda", tmp_path) == f"-e '{checkout}[cuda]'"
    assert installed.requirement(record(checkout), "gpu", tmp_path) == f"'{checkout}[gpu]'"


def test_for_a_terminal_elsewhere_all_is_absolute(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "_direct_url", lambda: record(checkout, editable=True))
    monkeypatch.setattr(installed.sys, "executable", "/there/python")
    monkeypatch.setattr(installed.shutil, "which", lambda name: "/there/python")
    monkeypatch.chdir(checkout)
    assert installed.install("gpu") == "python -m pip install -e '.[gpu]'"
    anywhere = f"/there/python -m pip install -e '{checkout}[gpu]'"
    assert installed.install("gpu", anywhere=True) == anywhere
    given = (Missing("CuPy"), Broken("CuPy", "x"), NoAnswer("x"))
    assert all(words(problem, anywhere=True).command.startswith(anywhere) for problem in given)


def test_a_shell_takes_the_folder_for_one_word(tmp_path: Path) -> None:
    folder = tmp_path / "o'brien; touch x; '$(id)"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    words = shlex.split(installed.requirement(record(folder, editable=True), "gpu", tmp_path))
    assert words == ["-e", f"{folder}[gpu]"]


def test_a_wheel_is_named_by_its_path_as_long_as_it_is_there(tmp_path: Path) -> None:
    wheel = tmp_path / "my wheels" / "croqtile_tools-1-py3-none-any.whl"
    text = json.dumps({"url": wheel.as_uri(), "archive_info": {}})
    assert installed.requirement(text, "gpu", tmp_path) == "'croqtile-tools[gpu]'"
    wheel.parent.mkdir()
    wheel.touch()
    assert installed.requirement(text, "gpu", tmp_path) == f"'{wheel}[gpu]'"


def test_in_an_environment_of_uv_which_has_no_pip_uv_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "_direct_url", lambda: None)
    monkeypatch.setattr(installed.sys, "executable", "/my env/bin/python")
    monkeypatch.setattr(installed.shutil, "which", lambda name: {"uv": "/my bin/uv"}.get(name))
    assert installed.install("gpu") == "'/my env/bin/python' -m pip install 'croqtile-tools[gpu]'"
    monkeypatch.setattr(installed, "find_spec", lambda name: None)
    assert installed.install("gpu") == "uv pip install --python '/my env/bin/python' 'croqtile-tools[gpu]'"
    anywhere = "'/my bin/uv' pip install --python '/my env/bin/python' 'croqtile-tools[gpu]'"
    assert installed.install("gpu", anywhere=True) == anywhere
    monkeypatch.setattr(installed.shutil, "which", lambda name: None)
    assert installed.install("gpu") == "'/my env/bin/python' -m pip install 'croqtile-tools[gpu]'"


@pytest.mark.parametrize(
    "text",
    [None, "", "[]", "{", '{"url": "https://host/x.whl", "archive_info": {}}', '{"url": 3, "dir_info": {}}',
     '{"url": "file:///gone", "dir_info": {"editable": true}}', '{"url": "file:///x", "dir_info": null}'],
)  # fmt: skip
def test_what_came_from_an_index_is_named(text: str | None, tmp_path: Path) -> None:
    assert installed.requirement(text, "gpu", tmp_path) == "'croqtile-tools[gpu]'"


def test_the_command_names_the_python_that_runs_the_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "_direct_url", lambda: None)
    monkeypatch.setattr(installed.sys, "executable", "/some where/python")
    monkeypatch.setattr(installed.shutil, "which", lambda name: "/usr/bin/python")
    assert installed.install("gpu") == "'/some where/python' -m pip install 'croqtile-tools[gpu]'"
    monkeypatch.setattr(installed.shutil, "which", lambda name: "/some where/python")
    assert installed.install("gpu") == "python -m pip install 'croqtile-tools[gpu]'"
