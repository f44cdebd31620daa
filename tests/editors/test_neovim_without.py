"""Neovim where something is missing: no server on the PATH, no trust, a server that was killed, an old syntax path."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.seeds import EXAMPLES
from tests.editors.neovim import Neovim
from tests.editors.surroundings import ROOT, croq_in, environment, snippets

pytestmark = pytest.mark.slow

ADD = (EXAMPLES / "add.co").read_text(encoding="utf-8")
INIT = snippets("Neovim", "lua")[0]
Start = Callable[[str, Path | None], Neovim]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Neovim] = []

    def started(init: str, croq: Path | None) -> Neovim:
        running.append(Neovim(tmp_path / "files", init, environment(tmp_path, croq)))
        return running[-1]

    yield started
    for nvim in running:
        nvim.close()


def test_without_a_server_one_message_says_so_however_many_files_are_opened(start: Start, tmp_path: Path) -> None:
    plugin = shutil.copytree(ROOT / "server/clients/nvim", tmp_path / "plugin")
    nvim = start(INIT.replace(str(ROOT / "server/clients/nvim"), str(plugin)), None)
    missing = (
        "croqtile: there is no program 'croq', so nothing is checked; :checkhealth croqtile tells how to install it"
    )
    for name in ("a.co", "b.co", "c.co"):
        nvim.edit(name, ADD, attached=False)
    nvim.lua("vim.wait(200)")
    assert nvim.said() == [missing]
    for count, command in enumerate(("CroqRun", "CroqFlow", "CroqFlow page", "CroqDoctor"), 2):
        nvim.do(command)
        assert nvim.said() == [missing] * count
    nvim.do("CroqCancel")
    assert nvim.said()[-1] == "croqtile: nothing runs"
    assert nvim.lua("return vim.v.errmsg") == ""
    nvim.do("checkhealth croqtile")
    text = "\n".join(nvim.text())
    assert "ERROR there is no program 'croq'" in text
    assert "pipx install /path/to/checkout (or the path of a wheel)" in text
    assert 'vim.lsp.config("croqtile", { cmd = { "/path/to/croq", "lsp" } })' in text
    assert "Running on a card" not in text


def test_in_a_checkout_the_health_names_its_install_command_or_its_program(start: Start, tmp_path: Path) -> None:
    """A checkout elsewhere: without `.venv` the way to make one, with it the program in there is taken."""
    checkout = tmp_path / "a checkout"
    plugin = shutil.copytree(ROOT / "server/clients/nvim", checkout / "server/clients/nvim")
    shutil.copytree(ROOT / "syntaxes", checkout / "syntaxes")
    (checkout / "pyproject.toml").write_text("", encoding="utf-8")
    init = INIT.replace(str(ROOT / "server/clients/nvim"), str(plugin))
    nvim = start(init, None)
    nvim.do("checkhealth croqtile")
    text = "\n".join(nvim.text())
    assert f"cd '{checkout}' && python3 -m venv .venv && .venv/bin/pip install -e ." in text
    assert "OK colours" in text
    croq_in(checkout / ".venv/bin")
    second = start(init, None)
    second.edit("a.co", ADD)
    second.do("checkhealth croqtile")
    assert f"OK croq 0.1.0 ({checkout}/.venv/bin/croq)" in "\n".join(second.text())


def test_the_python_package_brings_plugin_and_colours(start: Start, tmp_path: Path) -> None:
    """Laid out as pip lays out the wheel's data; the program beside it is found without a PATH."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for source, target in project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"].items():
        shutil.copytree(ROOT / source, tmp_path / "environment" / target)
    croq = croq_in(tmp_path / "environment/bin") / "croq"
    (init,) = [block for block in snippets("Neovim", "lua") if "packpath" in block]
    nvim = start(init.replace("/path/to/environment", str(tmp_path / "environment")), None)
    nvim.edit("a.co", ADD)
    nvim.do("checkhealth croqtile")
    text = "\n".join(nvim.text())
    assert f"OK croq 0.1.0 ({croq})" in text
    assert "OK colours" in text


def test_a_folder_that_is_edited_never_brings_the_server(start: Start, tmp_path: Path) -> None:
    plugin = shutil.copytree(ROOT / "server/clients/nvim", tmp_path / "plugin")
    croq_in(tmp_path / "files/.venv/bin")
    nvim = start(INIT.replace(str(ROOT / "server/clients/nvim"), str(plugin)), None)
    nvim.edit("a.co", ADD, attached=False)
    nvim.wait("#said == 1")
    assert nvim.lua("return #vim.lsp.get_clients({ _uninitialized = true })") == 0


@pytest.mark.parametrize("entry", ["", ".", "files"])
def test_an_entry_of_the_path_that_is_no_folder_of_its_own_brings_none(
    start: Start, tmp_path: Path, entry: str
) -> None:
    """An empty one is the folder that Neovim stands in, for the system and for `executable()`."""
    plugin = shutil.copytree(ROOT / "server/clients/nvim", tmp_path / "plugin")
    (tmp_path / "files").mkdir()
    for folder in (tmp_path, tmp_path / "files"):
        ran = folder / "croq"
        ran.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n", encoding="utf-8")
        ran.chmod(0o755)
    at = tmp_path / "files" if entry != "files" else tmp_path
    init = INIT.replace(str(ROOT / "server/clients/nvim"), str(plugin))
    nvim = start(f"vim.env.PATH = '{entry}:' .. vim.env.PATH\nvim.cmd.cd('{at}')\n{init}", None)
    assert nvim.lua("return vim.fn.executable('croq')") == 1
    nvim.edit("a.co", ADD, attached=False)
    nvim.wait("#said == 1")
    assert nvim.said()[0].startswith("croqtile: there is no program 'croq', so nothing is checked")
    for command in ("CroqDoctor", "CroqFlow page", "checkhealth croqtile"):
        nvim.do(command)
    assert "ERROR there is no program 'croq'" in "\n".join(nvim.text())
    assert not (tmp_path / "ran").exists()


def test_without_trust_nothing_is_run_or_compiled(start: Start, tmp_path: Path) -> None:
    untrusted = 'vim.lsp.config("croqtile", { init_options = { trusted = false } })'
    assert "init_options = { trusted = false }" in (ROOT / "docs/editors.md").read_text(encoding="utf-8")
    nvim = start(f"{INIT}\n{untrusted}", croq_in(tmp_path / "bin"))
    nvim.edit("a.co", ADD.replace("auto add", "auto ad"))
    refused = "croqtile: this workspace is not trusted, so nothing in it is run or compiled; trust it first"
    for count, command in enumerate(("CroqRun", "CroqVerify", "CroqGenerated ptx"), 1):
        nvim.do(command)
        nvim.wait(f"#said == {count}")
    assert nvim.said() == [refused] * 3
    nvim.do("CroqGenerated cuda")
    nvim.wait("#vim.api.nvim_list_wins() == 2")


def test_a_server_that_was_killed_is_named_by_the_next_command(start: Start, tmp_path: Path) -> None:
    nvim = start(INIT, croq_in(tmp_path / "bin"))
    nvim.edit("a.co", ADD)
    nvim.lua("client(0):stop(true)")
    nvim.wait("not client(0)")
    nvim.lua("said = {}")
    nvim.do("CroqRun")
    assert nvim.said() == ["croqtile: the server does not run here; :checkhealth croqtile says more"]
    nvim.do("edit")
    nvim.wait("client(0)")
