"""Every command of the README works on a clean clone, and what it shows is what the tools print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.meta.tree import ROOT, read

README = read(ROOT / "README.md")
CROQ = ".venv/bin/croq"
_SECONDS = re.compile(r"\d+\.\d\d s\)")


def plain(line: str) -> str:
    """A command without its comment."""
    return re.sub(r"\s+#.*", "", line).strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the examples, in which `.venv/bin/croq` is this `croq`."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    command = tmp_path / CROQ
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m croqc.cli.main "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return tmp_path


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def session() -> list[tuple[str, str]]:
    """Each command of the first console block but `make`, with the output that stands under it."""
    found = re.search(r"```console\n(.*?)```", README, re.DOTALL)
    assert found is not None
    parts = re.split(r"^\$ (.*)\n", found[1], flags=re.MULTILINE)[1:]
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    assert pairs[0] == ("make run", "")
    return pairs[1:]


@pytest.mark.slow
def test_the_session_prints_what_it_shows(clone: Path) -> None:
    failing = []
    for command, shown in session():
        done = run(command, clone)
        assert _SECONDS.sub("s)", done.stdout) == _SECONDS.sub("s)", shown), command
        failing += [command] if done.returncode else []
    assert failing == [f"{CROQ} check --quiet kernel.co"]


@pytest.mark.slow
def test_every_other_command_works(clone: Path) -> None:
    run(session()[0][0], clone)
    commands = [plain(line) for line in README.splitlines() if line.startswith(f"    {CROQ} ")]
    assert len(commands) == 11
    for command in commands:
        done = run(command, clone)
        # The kernel is broken until `fix`; a server whose client goes without `shutdown` ends with 1 (LSP 3.17);
        # there is no card here.
        failing = command.split()[1] in ("check", "lsp", "profile")
        assert done.returncode == int(failing), (command, done.stderr)
        assert "Traceback" not in done.stderr


def test_each_target_and_page_is_there() -> None:
    makefile = read(ROOT / "Makefile")
    for target in re.findall(r"^(?:\$|   ) ?make (\S+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / link).exists(), link


def test_the_first_screen_says_what_the_product_does() -> None:
    head = "\n".join(README.splitlines()[:15])
    for part in ("proved", "imulator", "croq flow", "croq migrate", "anguage server"):
        assert part in head
    assert all(shlex.split(command) for command, _ in session())
