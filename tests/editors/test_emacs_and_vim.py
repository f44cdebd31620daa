"""Emacs with eglot and Vim with ALE, set up by the snippets of docs/editors.md. `.ci/editors` installs them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.editors.surroundings import croq_in, environment, snippets
from tests.lsp.test_first_light import BROKEN, KERNEL

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
LINE = BROKEN.splitlines().index("    /* 😀 é */ dma.copy srk.subspan(TILE, 64).at(b, 0) => tile_s[0];")


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """A file with one mistake; a home of its own; `croq` on the PATH."""
    file = tmp_path / "files" / "k 1.co"
    file.parent.mkdir()
    file.write_text(BROKEN, encoding="utf-8")
    more = {"FILE": str(file), "WORD": "tile_s[2]", "OUT": str(tmp_path / "out")}
    return environment(tmp_path, croq_in(tmp_path / "bin")) | more


def test_emacs_finds_hovers_and_fixes(variables: dict[str, str], tmp_path: Path) -> None:
    init = tmp_path / "init.el"
    init.write_text("\n".join(snippets("Emacs", "elisp")), encoding="utf-8")
    command = ["emacs", "-q", "--batch", "-l", str(init), "-l", str(HERE / "emacs_eglot.el")]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=110)
    said = done.stderr
    assert done.returncode == 0, said
    assert "mode: croqtile-mode" in said
    (found,) = re.findall(r"^found: (\d+) (\S+) (.*)$", said, re.MULTILINE)
    assert found[:2] == (str(LINE + 1), "srk")
    assert "undeclared-name" in found[2] or "srk" in found[2]
    assert re.search(r"^hover: plaintext .*shared f16 \[16, 64\]\[2\]", said, re.MULTILINE)
    assert re.search(r"^shown: .*shared f16 \[16, 64\]\[2\]", said, re.MULTILINE)
    assert f"text: {KERNEL}" in said
    assert said.rstrip().endswith("end: of the session")


def test_vim_with_ale_finds_and_hovers(variables: dict[str, str], tmp_path: Path) -> None:
    init = tmp_path / "vimrc"
    init.write_text("\n".join(snippets("Vim", "vim")), encoding="utf-8")
    command = ["vim", "-Nu", str(init), "-es", "-S", str(HERE / "vim_ale.vim")]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=110)
    assert (done.returncode, done.stderr) == (0, "")
    filetype, *rows = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert filetype == "croqtile"
    before = "    /* 😀 é */ dma.copy "
    column = len(before.encode("utf-16-le")) // 2 + 1  # which ALE takes for bytes
    assert f"{LINE + 1} {column} {column + 2} E undeclared-name" in rows
    assert any("shared f16 [16, 64][2]" in row for row in rows)


def test_the_colours_of_vim_are_there(variables: dict[str, str], tmp_path: Path) -> None:
    init = tmp_path / "vimrc"
    init.write_text(snippets("Vim", "vim")[0], encoding="utf-8")
    ask = "call writefile([&filetype, synIDattr(synID(4, 1, 1), 'name')], $OUT)"
    command = ["vim", "-Nu", str(init), "-es", "-c", "execute 'edit ' . fnameescape($FILE)", "-c", ask, "-c", "qall!"]
    subprocess.run(command, env=variables, check=True, capture_output=True, timeout=110)
    assert (tmp_path / "out").read_text(encoding="utf-8").splitlines() == ["croqtile", "croqMarker"]
