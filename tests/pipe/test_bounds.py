"""Bounds of loops: what they are in front of the loop, under the name that the kernel has for it."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.printer import expression
from croqc.pipe.walk import statements
from tests.pipe.lowering import after

SIZES = {"M": 128, "N": 9}
HEAD = "__co__ void f(global f32 [M, 64] out, global s32 [4] counts, s32 N)"


def loops(*body: str) -> list[str]:
    """The scalars and loops of a kernel of one thread an element, as built, in source order."""
    lines = "\n".join(body)
    text = f"{HEAD} {{\n parallel p by cdiv(M, 64) : block {{ parallel t by 64 : thread {{\n{lines}\n }} }}\n}}"
    found: list[str] = []
    for stmt in statements(after("build", text, SIZES).body):
        match stmt:
            case ir.Let(name=name, value=value) | ir.Set(name=name, value=value):
                found.append(f"{name} = {expression(value)}")
            case ir.Loop():
                ends = f"{expression(stmt.start)} to {expression(stmt.stop)} step {expression(stmt.step)}"
                found.append(f"{stmt.name} from {ends}")
    return found


@pytest.mark.parametrize("extent", ["{k} in [n]", "k in n", "k in [n]"])
def test_a_variable_counts_as_it_is_in_front_of_the_loop(extent: str) -> None:
    assert loops("mutable n = N;", f"foreach {extent} {{ out.at(p * 64, t) = 1.0f; n = n - 1; }}") == [
        "n = N",
        "bound = n",
        "k from 0 to bound step 1",
        "n = n - 1",
    ]


def test_each_of_several_extents_has_its_own() -> None:
    body = "foreach {i, j} in [n, n + 1] { out.at(p * 64, t) = 1.0f; }"
    assert loops("mutable n = N;", body) == [
        "n = N",
        "bound = n",
        "bound_2 = n + 1",
        "i from 0 to bound step 1",
        "j from 0 to bound_2 step 1",
    ]


def test_an_element_of_memory_is_read_once() -> None:
    assert loops("foreach {k} in [counts.at(3)] { out.at(p * 64, t) = 1.0f; }") == [
        "bound = counts[0 : 4].at(3)",
        "k from 0 to bound step 1",
    ]


def test_the_bound_of_an_index_is_that_of_its_loop() -> None:
    found = loops("mutable n = N;", "foreach {k} in [n] { n = #k; out.at(p * 64, t) = 1.0f; }")
    assert found[-1] == "n = bound"


def test_the_ends_and_the_step_of_a_range_hold_for_all_turns() -> None:
    body = "with {k} in [8] { foreach k(n : -n : n) { n = n + 1; out.at(p * 64, t) = 1.0f; } }"
    assert loops("mutable n = 1;", "n = N;", body) == [
        "n = 1",
        "n = N",
        "k = 0",
        "bound = n",
        "bound_2 = 8 + -n",
        "bound_3 = n",
        "k from bound to bound_2 step bound_3",
        "n = n + 1",
    ]


def test_ends_that_do_not_change_stand_as_they_are() -> None:
    body = "with {k} in [N + 1] { foreach k(2 : -N) { out.at(p * 64, t) = 1.0f; } }"
    assert loops(body)[-1] == "k from 2 to N + 1 + -N step 1"


def test_of_two_variables_of_a_name_the_one_in_scope_counts() -> None:
    one, other = (
        f"if (t > {at}) {{ n = counts.at({at}); foreach {{k}} in [n] {{ out.at(p * 64, t) = 1.0f; }} }}"
        for at in (1, 2)
    )
    found = loops(one, other)
    assert found[1::2] == ["k from 0 to n step 1", "k_2 from 0 to n_2 step 1"]


def test_a_view_of_an_extent_that_changes_is_refused() -> None:
    with pytest.raises(LoweringError, match="this size is not known here: make it of sizes, numbers and names that"):
        loops("mutable n = N;", "out.subspan(n, 64).at(p, 0).at(0, t) = 1.0f;")
