"""What holds for every file: an opening docstring, its length, no unfinished work, no test switched off."""

import ast
import re

import pytest

from tests.meta.tree import ROOT, files, name, python_files, read

MAX_COLUMNS = 120
MAX_LINES = 400
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME)\b")
SWITCHED_OFF = re.compile(r"\bpytest\.(?:mark\.)?(?:skip|xfail|skipif|importorskip)\b|\bunittest\.skip")


def test_every_python_file_opens_with_a_docstring() -> None:
    bare = [name(path) for path in python_files() if not ast.get_docstring(ast.parse(read(path)))]
    assert bare == []


def test_no_source_file_is_longer_than_400_lines() -> None:
    source = {".py", ".ts", ".lark", ".lua", ".js", ".css", ".html", ".cuh", ".h", ".cc"}
    lengths = {name(path): len(read(path).splitlines()) for path in files() if path.suffix in source}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES} == {}


def test_no_file_is_marked_unfinished() -> None:
    marks = [
        f"{name(path)}:{number}"
        for path in files()
        for number, line in enumerate(read(path).splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert marks == []


def test_no_test_is_switched_off() -> None:
    off = [
        f"{name(path)}:{number}"
        for path in python_files("tests")
        for number, line in enumerate(read(path).splitlines(), 1)
        if SWITCHED_OFF.search(line)
    ]
    assert off == []


def test_every_test_file_is_collected() -> None:
    """pytest looks at test_*.py only: a test function elsewhere would never run."""
    lost = [
        name(path)
        for path in python_files("tests")
        if not path.name.startswith("test_")
        and any(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
            for node in ast.parse(read(path)).body
        )
    ]
    assert lost == []


@pytest.mark.parametrize("page", ["README.md", "docs/lowering.md"])
def test_lines_of_prose_fit_an_editor(page: str) -> None:
    """What a console shows stands as it is shown."""
    prose = read(ROOT / page).split("```")[::2]
    assert [line for part in prose for line in part.splitlines() if len(line) > MAX_COLUMNS] == []
