"""The project's commands and papers: make targets, what CI calls, versions and extras."""

import ast
import os
import re
import subprocess
import sys
import tomllib

import croqc
from tests.meta.tree import ROOT, python_files, read

MAKEFILE = read(ROOT / "Makefile")
PROJECT = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]


def make(*arguments: str) -> str:
    """What make prints there, whatever the make that runs these tests was told."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def test_make_alone_lists_the_targets() -> None:
    assert make() == make("help")
    listed = re.findall(r"^  make (\S+) +\S", make(), re.MULTILINE)
    assert {"help", "run", "test", "check", "fast", "format", "bench", "vsix", "clean"} <= set(listed)


def test_no_target_is_taken_for_a_file() -> None:
    phony = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())
    targets = set(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, re.MULTILINE))
    assert targets == phony


def test_make_test_ends_with_pytest_on_all_tests() -> None:
    last = make("--dry-run", "test").strip().splitlines()[-1]
    assert re.fullmatch(r"\.venv/bin/python -m pytest -q -n \d+", last)


def test_packing_the_extension_needs_nothing_of_the_tests() -> None:
    said = make("--dry-run", "--always-make", "vsix")
    assert "npm ci" in said and "npm run package" in said
    assert "--editable ." in said and "[dev]" not in said


def test_ci_calls_the_test_command_of_the_readme() -> None:
    commands = [line for line in read(ROOT / ".ci/run").splitlines() if line and line[0] != "#"]
    assert commands == ["set -euo pipefail", 'cd "$(dirname "${BASH_SOURCE[0]}")/.."', "make test"]
    readme = read(ROOT / "README.md")
    assert "make run" in readme
    assert "make test" in readme


def test_one_version() -> None:
    assert croqc.__version__ == PROJECT["version"]
    headings = re.findall(r"^## \[(.+?)\]", read(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == PROJECT["version"]


def test_the_base_install_needs_no_gpu_and_no_tests() -> None:
    base = {re.split(r"[><=\[]", need)[0] for need in PROJECT["dependencies"]}
    assert base == {"lark", "attrs", "cattrs", "pygls", "lsprotocol", "numpy", "ml_dtypes", "rich"}
    assert set(PROJECT["optional-dependencies"]) == {"gpu", "cuda", "bench", "dev"}


def test_what_is_imported_is_a_dependency() -> None:
    """Not one that only another dependency brings today."""
    named = {
        *PROJECT["dependencies"],
        *(need for extra in ("gpu", "cuda") for need in PROJECT["optional-dependencies"][extra]),
    }
    found = {re.split(r"[><=\[]", need)[0] for need in named}
    modules = {"cupy-cuda13x": {"cupy", "cupy_backends"}, "cuda-bindings": {"cuda"}, "nvidia-cuda-nvrtc": {"nvidia"}}
    known = {module for need in found for module in modules.get(need, {need})} | {
        "croqc",
        "croqls",
        *sys.stdlib_module_names,
    }
    imported = set()
    for path in (*python_files("compiler/croqc"), *python_files("server/croqls")):
        for node in ast.walk(ast.parse(read(path))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    assert imported - known == set()


def test_the_licence_is_apache_2() -> None:
    licence = read(ROOT / "LICENSE")
    assert PROJECT["license"] == "Apache-2.0"
    assert "Version 2.0, January 2004" in licence
    assert licence.rstrip().endswith("limitations under the License.")
