"""What a node writes, as the language has it: one answer for the verifier, refactorings, findings and the editor."""

from __future__ import annotations

import pytest

from croqc.sema.rulenames_device import LOST_WRITE
from croqc.sema.writes import filled, given, renamed, targets
from croqc.syntax import ast
from croqc.syntax.parser import parse_file
from croqc.syntax.visit import walk
from tests.sema.study import study

HEAD = "__co__ void f(global f16 [64, 64] a, f16 [64, 64] c, int n) {\n"


def said(body: str) -> tuple[set[str], set[str], set[str]]:
    """The texts of what the statements of a body give, rename and fill."""
    text = HEAD + body + "\n}"
    (function,) = parse_file(text, {}).functions
    assert function.tree is not None
    nodes = list(walk(function.tree.body))
    base = function.source.base

    def texts(found: list[ast.Node]) -> set[str]:
        return {text[base + node.span.start : base + node.span.end] for node in found}

    names = [made[0] for node in nodes if (made := given(node)) is not None]
    every = [target for node in nodes for target in targets(node)]
    again = [target for node in nodes for target in (*renamed(node), *filled(node))]
    assert set(map(id, every)) == set(map(id, again))
    return (
        texts(list(names)),
        texts([name for node in nodes for name in renamed(node)]),
        texts([one for node in nodes for one in filled(node)]),
    )


@pytest.mark.parametrize(
    ("body", "gives", "renames", "fills"),
    [
        ("mutable int i = 0; int j;", {"i", "j"}, set(), set()),
        ("i = 1; j += 2;", {"i", "j"}, {"i", "j"}, {"i", "j"}),
        ("x.at(i++) = y;", {"i"}, {"i"}, {"x.at(i++)"}),
        ("x.at(i) = y;", set(), set(), {"x.at(i)"}),
        ("f = dma.copy.async a => s;", set(), {"f"}, {"s"}),
        ("dma.copy a => select(i, s, t);", set(), set(), {"s", "t"}),
        ("f = dma.any; swap(f, g);", set(), {"f", "g"}, set()),
        ("mc = mma.fill 0.0f; mma.row.row mc, a, s; mma.store mc, c;", set(), set(), {"mc", "c"}),
        ("ma = mma.load s;", set(), set(), {"ma"}),
        ("__atomic_add(x.at(s.at(0)), y);", set(), set(), {"x.at(s.at(0))"}),
        ("wait e; trigger e; call g(x);", set(), set(), set()),
    ],
)
def test_what_a_statement_writes(body: str, gives: set[str], renames: set[str], fills: set[str]) -> None:
    assert said(body) == (gives, renames, fills)


@pytest.mark.parametrize("parameter", ["f32 [64] p", "f32 [64]& p", "global f32 [64] p"])
def test_an_atomic_on_a_parameter_that_is_only_copied_in_is_lost(parameter: str) -> None:
    text = (
        f"__co__ void f({parameter}) {{ parallel b by 1 : block, t by 64 : thread {{ __atomic_add(p.at(t), 1.0f); }} }}"
    )
    rules = [item.rule for item in study(text).analysis.findings]
    assert (LOST_WRITE in rules) is (parameter == "f32 [64] p")
