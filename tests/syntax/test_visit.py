"""What covers a place in a tree: as every child in turn would say, and without asking thousands of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from croqc.syntax import ast
from croqc.syntax.parser import parse_file
from croqc.syntax.visit import children, covering, walk
from croqc.text.span import Span

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.co"))


def function(text: str) -> ast.Function:
    tree = parse_file(text).functions[0].tree
    assert tree is not None
    return tree


def regions(count: int) -> str:
    body = "\n".join(f"    inthreads (n == {number}) {{ }}" for number in range(count))
    return f"__co__ void f(global f32 [64] x, int n) {{\n  parallel w by 2 : group {{\n{body}\n  }}\n}}\n"


def child_by_child(node: ast.Node, span: Span) -> list[ast.Node]:
    path = [node]
    while True:
        inner = [one for one in children(path[-1]) if one.span.start <= span.start and span.end <= one.span.end]
        if not inner:
            return path
        path.append(inner[0])


MADE = "#define TWO trigger e; trigger e;\n__co__ void f() { parallel b by 1 : block { shared event e; %s } }\n"
TEXTS = [path.read_text(encoding="utf-8") for path in EXAMPLES] + [regions(40), MADE % ("TWO " * 30)]


@pytest.mark.parametrize("text", TEXTS, ids=[*(path.stem for path in EXAMPLES), "many", "macros"])
def test_what_covers_a_place_is_what_each_child_would_say(text: str) -> None:
    tree = function(text)
    spans = {node.span for node in walk(tree)}
    spans |= {Span(span.start, span.start) for span in spans} | {Span(span.end, span.end + 1) for span in spans}
    for span in spans:
        assert covering(tree, span) == child_by_child(tree, span)


def opcodes(work: Callable[[], object]) -> int:
    """How many instructions of Python a piece of work takes, turns of comprehensions among them."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, count = True, count + (event == "opcode")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_a_place_among_thousands_of_statements_is_found_without_looking_through_them() -> None:
    counts = []
    for size in (500, 4000):
        tree = function(regions(size))
        last = [node for node in walk(tree) if isinstance(node, ast.InThreads)][-1]
        assert covering(tree, last.cond.span)[-2] is last
        counts.append(opcodes(lambda tree=tree, last=last: covering(tree, last.cond.span)))
    assert counts[0] > 0
    assert counts[1] <= 1.5 * counts[0]
