"""The lower layers know no file, process, environment or clock (ARCHITECTURE, invariant 3)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.meta.tree import ROOT, name, python_files, read

PURE = ("text", "syntax", "targets", "builtins", "sema", "flow", "refactor", "pipe", "rules", "codegen", "runs")
BANNED_MODULES = {
    *("os", "io", "pathlib", "shutil", "tempfile", "glob", "fileinput"),
    *("subprocess", "multiprocessing", "concurrent", "signal", "socket", "ctypes"),
    *("time", "datetime", "random", "secrets", "uuid", "platform", "getpass"),
}
BANNED_CALLS = {"open", "print", "input", "eval", "exec", "breakpoint"}
BANNED_ATTRIBUTES = {("sys", "argv"), ("sys", "stdin"), ("sys", "stdout"), ("sys", "stderr"), ("sys", "exit")}

# Files that may, each with its reason.
EXCEPTIONS = {
    "compiler/croqc/syntax/tables.py": "keeps Lark's tables, slow to build, in the user's cache folder",
}


def impurities(code: str) -> Iterator[tuple[int, str]]:
    """Line and name of each use of the outside world in a module's text."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, a.name) for a in names if a.name.partition(".")[0] in BANNED_MODULES)
            case ast.ImportFrom(module=str(module), level=0) if module.partition(".")[0] in BANNED_MODULES:
                yield node.lineno, module
            case ast.Call(func=ast.Name(id=called)) if called in BANNED_CALLS:
                yield node.lineno, called
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if (owner, attr) in BANNED_ATTRIBUTES:
                yield node.lineno, f"{owner}.{attr}"


def impure_lines(path: Path) -> list[str]:
    return [f"{name(path)}:{line} {what}" for line, what in impurities(read(path))]


def test_the_lower_layers_are_pure() -> None:
    layers = python_files(*(f"compiler/croqc/{layer}" for layer in PURE))
    found = [line for path in layers if name(path) not in EXCEPTIONS for line in impure_lines(path)]
    assert found == []


@pytest.mark.parametrize("exception", sorted(EXCEPTIONS))
def test_each_exception_is_needed(exception: str) -> None:
    assert impure_lines(ROOT / exception) != []


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import os", "os"),
        ("def f():\n    import os.path", "os.path"),
        ("from pathlib import Path", "pathlib"),
        ("from concurrent.futures import ThreadPoolExecutor", "concurrent.futures"),
        ("from time import time", "time"),
        ("text = open('a.co').read()", "open"),
        ("print('x')", "print"),
        ("value = eval('1')", "eval"),
        ("import sys\nsys.exit(1)", "sys.exit"),
    ],
)
def test_each_way_out_is_seen(code: str, what: str) -> None:
    assert [found for _, found in impurities(code)] == [what]


def test_package_data_and_namesakes_are_allowed() -> None:
    code = (
        "from importlib.resources import files\nfrom croqc.text.time import x\n"
        "page = files('croqc.rules').joinpath('pages').read_text()\ndoor.open()\nfrom . import os\n"
    )
    assert list(impurities(code)) == []
