"""Tuples of indices, views with strides, choices between buffers: what each becomes."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.reshaped import check_reshaped
from tests.pipe.lowering import after, kernel_lines, only

TEXT = """__co__ void f(global s32 [M, N] x, global s32 [M, N] y, int n) {{
  parallel {axis} {{ {body} }}
}}
"""
SIZES = {"M": 64, "N": 32}


def body_of(body: str, axis: str = "b by M : block, t by 32 : thread") -> list[str]:
    lines = kernel_lines(after("build", TEXT.format(body=body, axis=axis), SIZES))
    return [line.strip() for line in lines[lines.index("  body") + 1 :]]


def test_a_loop_over_a_tuple_is_a_loop_over_each() -> None:
    assert body_of("foreach v in [M, N] { y.at(v) = x.at(v(0), v(1)); }") == [
        "for v from 0 to M step 1",
        "for v_2 from 0 to N step 1",
        "y[0, 0 : M x N].at(v, v_2) = x[0, 0 : M x N].at(v, v_2)",
    ]


def test_names_of_a_tuple_are_its_parts() -> None:
    found = body_of("with v = {i, j} in [4, 2] { foreach v { y.at(i, j) = x.at(v); } foreach j { y.at(v) = 0; } }")
    assert found[1:] == [
        "let i: s32 = 0",
        "let j: s32 = 0",
        "for i from 0 to 4 step 1",
        "for j from 0 to 2 step 1",
        "y[0, 0 : M x N].at(i, j) = x[0, 0 : M x N].at(i, j)",
        "for j from 0 to 2 step 1",
        "y[0, 0 : M x N].at(i, j) = 0",
    ]


def test_a_tuple_of_numbers_and_one_of_blocks() -> None:
    found = body_of("step = {8, 16}; y.at(p) = x.subspan(8, 16).at(p).at(step);", "p = {i, j} by [8, 2] : block")
    assert any(
        "y[0, 0 : M x N].at(i, j) = x[i * 8, j * 16 : 8 x 16]" in line and ".at(8, 16)" in line for line in found
    )


def test_strides_of_a_view_are_steps_in_one_row_of_its_elements() -> None:
    found = body_of("y.at(b, t) = x.view(N, M : 1, N).from(t, b).at(0, 1);")
    assert found == ["y[0, 0 : M x N].at(b, t) = x[t + b * N : N x M] of dims 0, 0 by 1, N.at(0, 1)"]


def test_a_part_of_a_view_with_strides_begins_at_its_steps() -> None:
    found = body_of("w = x.view(8, N : 2 * N, 1).from(0, 0); y.at(b, t) = w.subspan(2, 4).at(b, t).at(1, 1);")
    assert "x[b * 2 * (2 * N) + t * 4 : 2 x 4] of dims 0, 0 by 2 * N, 1" in found[0]


def test_rows_of_a_view_with_strides_are_no_operands() -> None:
    text = """__co__ void f(global f16 [64, 128] x, global f32 [64, 64] y) {
  parallel b by 1 : block, p by 1 : group-4 {
    shared f16 [64, 128] a;
    shared f16 [64, 64] w;
    acc = mma.fill.f32 0.0f;
    mma.row.row acc, a.view(64, 64 : 128, 2).from(0, 0), w;
    mma.store acc, y;
  }
}"""
    with pytest.raises(LoweringError, match="through a view with strides of its own"):
        check_reshaped(after("memory", text, {}))


CHOICE = "shared s32 [64] s, t; shared s32 [64] ring[3]; {} dma.copy now => y.subspan(1, 64).at(0, 0).sqz();"


def chosen(stmt: str) -> str:
    lines = body_of(CHOICE.format(stmt), "b by M : block")
    return " / ".join(lines).partition("  unit")[0]


def test_a_choice_is_the_number_of_a_slot() -> None:
    assert chosen("now = select(n % 2, s, t);").startswith("let now_slot: s32 = n % 2 / copy s[now_slot][0 : 64]")
    assert "let now_slot: s32 = n + 1 /" in chosen("now = select(n, ring[1], ring[2]);")
    assert "n == 0 ? 2 : (n == 1 ? 0 : 1)" in chosen("now = select(n, ring[2], ring[0], ring[1]);")


def test_a_choice_between_parts_is_refused() -> None:
    with pytest.raises(LoweringError, match="choose a whole buffer, and then its part"):
        chosen("now = select(n, s, ring[0]);")


def test_local_data_of_a_future_is_each_threads_own() -> None:
    text = "g = dma.copy x.subspan(1, 4).at(b, t) => local; y.at(b, t) = g.data.at(0, 1);"
    kernel = after("memory", TEXT.format(body=text, axis="b by M : block, t by 8 : thread"), SIZES)
    assert ([tensor.name for tensor in kernel.locals], kernel.shared) == (["g_data"], ())


def test_a_copy_without_a_name_moves_nothing() -> None:
    kernel = after("memory", TEXT.format(body="dma.copy x.subspan(8, 8) => shared;", axis="b by M : block"), SIZES)
    assert (only(kernel, ir.Copy), kernel.shared_bytes) == ([], 0)


FUTURES = """__co__ void pump(global s32 [4, C] x, global s32 [4, C] y) {{
  parallel b by 1 : block {{
    shared event e;
    f0 = {engine}.copy.async x.subspan(4, 32).at(0, 0) => shared;
    f1 = {engine}.copy.async x.subspan(4, 32).at(0, 1) => shared;
    foreach k in [2] {{
      {body}
      dma.copy f.data => y.subspan(4, 32).at(0, k);
    }}
  }}
}}
"""


def waits(body: str, engine: str = "dma", name: str = "verify") -> list[tuple[str, ...]]:
    kernel = after(name, FUTURES.format(engine=engine, body=body), {"C": 64}, "sm_90a")
    return [each.handles for each in only(kernel, ir.Await)]


def test_a_wait_for_a_chosen_copy_waits_for_each_that_it_may_be() -> None:
    """Its own name is no copy: a wait for that would wait for nothing."""
    assert waits("f = select(k, f0, f1); wait f;", name="build") == [("f0", "f1")]
    assert waits("g = select(k, f0, f1); f = select(0, g, f1); wait f;", name="build") == [("f0", "f1")]
    assert waits("f = select(k, f0, f1); wait f;", name="barriers") == [("f0", "f1")]


def test_what_is_not_lowered_of_chosen_copies_is_refused() -> None:
    with pytest.raises(LoweringError, match="a wait for one of several TMA copies"):
        waits("f = select(k, f0, f1); wait f;", "tma")
    with pytest.raises(LoweringError, match="'f' is given another copy"):
        waits("f = dma.any; f = select(k, f0, f1); wait f;")
    with pytest.raises(LoweringError, match="a copy that 'select' has chosen"):
        waits("f = select(k, f0, f1); trigger e after f; wait e;")
