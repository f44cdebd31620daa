"""Helpers of the parser's tests: snippets in their usual function, places as line:column."""

from collections.abc import Iterator
from pathlib import Path

from croqc.syntax.ast import Function
from croqc.syntax.exprs import Node
from croqc.syntax.parser import parse_file
from croqc.syntax.tree import FileTree
from croqc.syntax.visit import walk
from croqc.text.source import Source

DATA = Path(__file__).parents[1] / "data"
HEAD = "__co__ void probe(global f32 [R, C] src, f32 [R, C]& dst, s32 n) {\n"


def lines_in(name: str) -> list[list[str]]:
    """The rows of a table in tests/data, cells split at tabs."""
    return [line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def wrapped(snippet: str) -> tuple[str, int]:
    """A whole file, and how many lines stand in front of the snippet."""
    whole = "__co__" in snippet or "__cok__" in snippet
    return (snippet, 0) if whole else (f"{HEAD}{snippet}\n}}\n", 1)


def parse(snippet: str) -> FileTree:
    return parse_file(wrapped(snippet)[0])


def tree_of(snippet: str) -> Function:
    tree = parse(snippet).functions[0].tree
    assert tree is not None
    return tree


def findings(snippet: str) -> list[tuple[str, str]]:
    """Place (line:column in the snippet) and words (message; hint) of each finding."""
    text, before = wrapped(snippet)
    source, found = Source(text), []
    for item in parse_file(text).findings:
        line, column = source.line_column(item.span.start)
        found.append((f"{line - before}:{column}", f"{item.message}; {item.hint}"))
    return found


def kinds(snippet: str) -> Iterator[str]:
    """The class names of all nodes of all functions."""
    for function in parse(snippet).functions:
        assert function.tree is not None
        yield from (type(node).__name__ for node in walk(function.tree))


def nodes(snippet: str, kind: type[Node]) -> list[Node]:
    return [node for node in walk(tree_of(snippet)) if isinstance(node, kind)]
