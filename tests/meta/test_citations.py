"""What users read cites only what they can open: a rule, a word, a page of ours; never a chapter of the reference."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.meta.tree import ROOT, name, python_files, read

CITATION = re.compile(
    r"\b(?:chapter|section|row) [A-Z]?\d|\breference, (?:chapter|section|\d)|\bcatalogue\b", re.IGNORECASE
)
DOCUMENTS = (
    "README.md",
    "docs/*.md",
    "compiler/croqc/rules/pages/*.md",
    "compiler/croqc/**/*.html",
    "compiler/croqc/**/*.js",
    "compiler/croqc/**/*.cuh",
    "examples/*.co",
)


def spoken(code: str) -> Iterator[tuple[int, str]]:
    """Line and text of every string of a module that is no docstring and no bare string."""
    tree = ast.parse(code)
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


def test_no_text_of_the_tools_cites_the_reference() -> None:
    files = python_files("compiler/croqc", "server/croqls")
    found = [
        f"{name(path)}:{line} {text}" for path in files for line, text in spoken(read(path)) if CITATION.search(text)
    ]
    assert found == []


@pytest.mark.parametrize("pattern", DOCUMENTS)
def test_no_page_cites_the_reference(pattern: str) -> None:
    paths = sorted(ROOT.glob(pattern))
    assert paths
    assert [name(path) for path in paths if CITATION.search(read(path))] == []


@pytest.mark.parametrize("text", ["see reference, 7.2", "Chapter 8", "as section 3 says", "row T01", "the catalogue"])
def test_a_citation_is_seen(text: str) -> None:
    assert [found for _, found in spoken(f'"""chapter 1"""\nx = f"{{y}} {text}"')] == [f" {text}"]
    assert CITATION.search(text)
