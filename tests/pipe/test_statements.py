"""Statements of the source: loops whose ends nobody knows before, increments, buffers that start with a value."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.lower import lowered_kernels
from croqc.pipe.walk import statements
from croqc.service.check import check_text
from tests.pipe.lowering import after, kernel_lines

THREADS = """__co__ void f(global s32 [N] x, global s32 [N] y, int n) {{
  parallel b by N / 64 : block {{
    shared event full[2];
    parallel t by 64 : thread {{ {body} }}
  }}
}}
"""
BLOCK = """__co__ void f(global s32 [N] x, int n) {{
  parallel b by N / 64 : block {{
    {body}
    parallel t by 64 : thread {{ x.at(t) = 1; }}
  }}
}}
"""


def body_of(text: str, body: str) -> list[str]:
    lines = kernel_lines(after("build", text.format(body=body), {"N": 64}))
    inside = lines[lines.index("  body") + 1 :]
    return [line.strip() for line in inside if line.strip() != "scope"]


def test_an_end_that_data_decides_is_worked_out_once() -> None:
    found = body_of(THREADS, "mutable s32 m = 0; foreach k in [x.at(t)] { m += k; } y.at(t) = m;")
    assert found[1:4] == [
        "let bound: s32 = x[0 : N].at(t)",
        "for k from 0 to bound step 1",
        "m = m + k",
    ]


def test_an_inner_end_is_worked_out_in_every_turn() -> None:
    found = body_of(THREADS, "foreach i in 3, j in [x.at(i)] { y.at(t) = #j; }")
    assert found[:4] == [
        "for i from 0 to 3 step 1",
        "let bound: s32 = x[0 : N].at(i)",
        "for j from 0 to bound step 1",
        "y[0 : N].at(t) = bound",
    ]


def test_steps_stand_before_or_behind_their_statement() -> None:
    found = body_of(THREADS, "mutable int k = 0; mutable u8 m = 0; y.at(t) = ++k + m--;")
    assert found == [
        "let k: s32 = 0  changes",
        "let m: u8 = 0:u8  changes",
        "k = k + 1",
        "y[0 : N].at(t) = k + s32(m)",
        "m = u8(m - 1:u8)",
    ]


def test_each_order_of_a_wait_is_the_next() -> None:
    found = body_of(THREADS, "mutable int k = 0; trigger full; wait full.at(k++), full.at(k++);")
    waits = [line.partition("  ")[0] for line in found[3:]]
    assert waits == ["wait full[order k]", "k = k + 1", "wait full[order k]", "k = k + 1"]


@pytest.mark.parametrize("body", ["while (k++ < 3) { y.at(t) = 1; }", "if (k-- > 3) { y.at(t) = 1; }"])
def test_a_condition_changes_nothing(body: str) -> None:
    with pytest.raises(LoweringError, match="a condition that changes a variable is not lowered"):
        body_of(THREADS, "mutable int k = 0; " + body)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("s64 got = call f(t); y.at(t) = 1;", "let got: s64 = f(t)  changes"),
        ("mutable s32 got = 0; got = call f(t);", "got = f(t)"),
        ("y.at(t) = call f(t);", "y[0 : N].at(t) = f(t)"),
        ("mutable f16 got = 0.0f; got = call f(t);", "got = f16(f(t))"),
        ("if (call busy()) yield; y.at(t) = 1;", "if busy()"),
    ],
)
def test_what_a_device_function_gives_takes_the_type_of_its_place(body: str, line: str) -> None:
    assert line in body_of(THREADS, body)


def test_a_name_without_a_type_is_refused_what_a_device_function_gives() -> None:
    """Left out, the function would not be called."""
    with pytest.raises(LoweringError, match=r"declare it, as 's32 got = call f\(…\)'"):
        body_of(THREADS, "got = call f(t); y.at(t) = 1;")


def test_shared_data_is_filled_by_all_threads_which_meet() -> None:
    assert body_of(BLOCK, "shared f16 [4, 16] s[2] {1.0f};")[:4] == [
        "for element from threadIdx.x to 64 step 64",
        "s[0][0, 0 : 4 x 16].at(element / 16, element % 16) = 1.0:f16",
        "s[1][0, 0 : 4 x 16].at(element / 16, element % 16) = 1.0:f16",
        "sync  unit block",
    ]


def test_in_a_loop_they_meet_before_it_too() -> None:
    found = body_of(BLOCK, "foreach k in 2 { shared s32 [64] s {k}; }")
    assert found[:5] == [
        "for k from 0 to 2 step 1",
        "sync  unit block",
        "for element from threadIdx.x to 64 step 64",
        "s[0 : 64].at(element) = k",
        "sync  unit block",
    ]


def test_local_data_is_filled_by_its_thread() -> None:
    found = body_of(THREADS, "local s32 [2, 3] mine {5}; y.at(t) = mine.at(1, 2);")
    assert found[:2] == [
        "for element from 0 to 6 step 1  unroll 0",
        "mine[0, 0 : 2 x 3].at(element / 3, element % 3) = 5",
    ]


AFTER = """
__co__ void f(global f32 [64, 64] x, global f32 [64, 64] y) {
  parallel b by 1 : block {
    shared f32 [64, 64] s;
    f = COPY x => s;
    g = COPY y => s after f;
    wait g;
    dma.copy s => y;
  }
}
"""


@pytest.mark.parametrize("engine", ["dma.copy.async", "tma.load.async"])
def test_a_copy_after_another_one_waits_for_it_first(engine: str) -> None:
    built = after("build", AFTER.replace("COPY", engine), {})
    order = [stmt.handles[0] if isinstance(stmt, ir.Await) else stmt.handle for stmt in in_order(built)]
    assert order == ["f", "f", "g", "g", ""]


def in_order(kernel: ir.Kernel) -> list[ir.Copy | ir.Await]:
    return [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy | ir.Await)]


def fixed_of(text: str, **sizes: int) -> tuple[tuple[str, int], ...]:
    (function,) = (report := check_text(text)).functions
    assert function.analysis is not None
    (made,) = lowered_kernels(function.analysis.model, report.target, sizes)
    return made.fixed


def test_a_kernel_is_made_for_the_size_alone_that_its_block_hangs_on() -> None:
    head = "__co__ void f(global f32 [M, N] x, f16 h, f32 factor)"
    by_n = (
        f"{head} {{ parallel b by M : block {{ parallel t by N : thread {{ x.at(b, t) = x.at(b, t) * factor; }} }} }}"
    )
    assert fixed_of(by_n, M=4, N=64, h=1, factor=1) == (("N", 64),)
    both = f"{head} {{ parallel {{i, j}} by [M, N] : thread {{ x.at(i, j) = factor; }} }}"
    assert fixed_of(both, M=4, N=64, h=1, factor=1) == (("M", 4), ("N", 64))


def test_a_block_has_its_limit() -> None:
    text = "__co__ void f(global s32 [N] x) { parallel t by N : thread { x.at(t) = 1; } }"
    with pytest.raises(LoweringError, match="a block would have 2048 threads; 1024 are possible"):
        fixed_of(text, N=2048)
