"""Where a statement stands, also inside what one macro makes, all of which has one span."""

from __future__ import annotations

import pytest

from croqc.sema.nesting import in_else
from croqc.service.check import check_text
from croqc.syntax import ast
from croqc.syntax.visit import walk

BRANCHES = "if (t < 128) { foreach i in [1 + t / 64] { sync.shared; } } else { x.at(t) = 0; }"
KERNEL = """{define}__co__ void f(global s32 [128] x) {{
  parallel b by 1 : block, t by 128 : thread {{
    {body}
  }}
}}
"""
WAYS = {
    "written": KERNEL.format(define="", body=BRANCHES),
    "macro": f"#define ALL {BRANCHES}\n" + KERNEL.format(define="", body="ALL"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_branches_of_an_if(way: str) -> None:
    tree = check_text(WAYS[way]).functions[0].parsed.tree
    assert tree is not None
    (condition,) = (node for node in walk(tree) if isinstance(node, ast.If))
    (first,) = (node for node in walk(tree) if isinstance(node, ast.Sync))
    (second,) = (node for node in walk(tree) if isinstance(node, ast.AssignPart))
    assert not in_else(condition, first) and in_else(condition, second)


@pytest.mark.parametrize("way", WAYS)
def test_a_barrier_in_the_first_branch_is_judged_by_the_threads_of_that(way: str) -> None:
    codes = [item.code for item in check_text(WAYS[way]).diagnostics]
    assert codes.count("divergent-collective") == 1
