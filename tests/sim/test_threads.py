"""Thread-level statements: masks, loops, local data, conversions, atomics, against NumPy written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.sim.kernels import Array, ran


def threads(body: str, count: int = 64, decls: str = "", kind: str = "s32", **arrays: Array) -> Array:
    """Runs a body in one block of `count` threads; `t` is the thread, `out` its result, one element a thread."""
    params = "".join(f"global {_type(array)} [{array.shape[0]}] {name}, " for name, array in arrays.items())
    text = (
        f"__co__ void f({params}global {kind} [{count}] out) {{\n"
        f"  parallel b by 1 : block {{ {decls}\n    parallel t by {count} : thread {{ {body} }} }}\n}}\n"
    )
    elem: Any = {"s32": np.int32, "f32": np.float32, "f16": np.float16, "u8": np.uint8}[kind]
    return ran(text, {**arrays, "out": np.zeros(count, elem)}).outputs["out"]


def _type(array: Array) -> str:
    return {"int32": "s32", "float32": "f32", "float16": "f16"}[array.dtype.name]


T = np.arange(64)


def test_branches_run_for_their_own_threads() -> None:
    got = threads("if (t < 10) out.at(t) = 1; else if (t % 2 == 0) out.at(t) = 2; else out.at(t) = 3;")
    assert got.tolist() == np.where(T < 10, 1, np.where(T % 2 == 0, 2, 3)).tolist()


def test_a_loop_with_thread_dependent_trip_count() -> None:
    got = threads("mutable int n = 0; while (n * n < t) { n += 1; } out.at(t) = n;")
    assert got.tolist() == np.ceil(np.sqrt(T)).astype(int).tolist()


def test_an_extent_in_brackets_may_differ_from_thread_to_thread() -> None:
    got = threads(
        "mutable int n = 0; foreach k in [1 + t / 16] { foreach {j} in [t % 3] { n += k + 1; } } out.at(t) = n;"
    )
    assert got.tolist() == [sum(range(1, 2 + t // 16)) * (t % 3) for t in range(64)]


def test_break_and_continue_take_single_threads_out() -> None:
    got = threads(
        "mutable int n = 0; foreach k in 20 { if (k == t) break; if (k % 3 == 1) continue; n += 1; } out.at(t) = n;"
    )
    want = [sum(k % 3 != 1 for k in range(min(t, 20))) for t in range(64)]
    assert got.tolist() == want


def test_break_in_an_inner_loop_leaves_the_outer_one_running() -> None:
    got = threads(
        "mutable int n = 0; foreach i in 4 { foreach k in 8 { if (k > t) break; n += 1; } n += 100; } out.at(t) = n;"
    )
    assert got.tolist() == (400 + 4 * np.minimum(T + 1, 8)).tolist()


def test_yield_ends_a_thread() -> None:
    got = threads("if (t > 5) yield; out.at(t) = 1;")
    assert got.tolist() == (T <= 5).astype(int).tolist()


def test_yield_in_a_tile_leaves_the_kernel_and_not_the_tile() -> None:
    text = """__co__ void f(global s32 [4, 64] out) {
  parallel b by 1 : block { foreach t in [4] { parallel w by 2 : group {
    parallel l by 32 : thread { if (t == 1 && l < 4) { yield; } out.at(t, w * 32 + l) = 1; }
  } } }
}
"""
    got = ran(text, {"out": np.zeros((4, 64), np.int32)}).outputs["out"]
    assert got.tolist() == [[1 if t == 0 or thread % 32 >= 4 else 0 for thread in range(64)] for t in range(4)]


def test_a_path_that_yields_in_a_tile_is_not_there_in_the_next() -> None:
    text = """__co__ void f(global s32 [4, 2] out) {
  parallel b by 1 : block { foreach t in [4] { parallel w by 2 : group {
    inthreads.async (w == 0) { if (t == 1) yield; out.at(t, 0) = 1; }
    inthreads.async (w == 1) { out.at(t, 1) = 1; }
  } } }
}
"""
    got = ran(text, {"out": np.zeros((4, 2), np.int32)}).outputs["out"]
    assert got.tolist() == [[1, 1], [0, 1], [0, 1], [0, 1]]


def test_a_nested_region_has_no_barrier() -> None:
    """Only the outermost one without `.async` has one (reference, 4.4): the third path waits for nobody."""
    text = """__co__ void f(global s32 [3] out) {
  parallel b by 1 : block { parallel w by 3 : group {
    inthreads.async (w < 2) { inthreads (w == 0) { out.at(0) = 1; } inthreads (w == 1) { out.at(1) = 1; } }
    inthreads.async (w == 2) { out.at(2) = 1; }
  } }
}
"""
    assert ran(text, {"out": np.zeros(3, np.int32)}).outputs["out"].tolist() == [1, 1, 1]


def test_the_number_of_a_barrier_is_computed() -> None:
    text = """__co__ void f(global s32 [4, 32] src, global s32 [4, 32] out) {
  parallel b by 1 : block {
    shared s32 [1, 32] ring[2];
    parallel w by 2 : group {
      inthreads.async (w == 0) { foreach k in [4] {
        __bar_sync(1 + k % 2, 64); dma.copy src.chunkat(k, _) => ring[k % 2]; __bar_sync(3 + k % 2, 64);
      } }
      inthreads.async (w == 1) { foreach k in [4] {
        __bar_arrive(1 + k % 2, 64); __bar_sync(3 + k % 2, 64); dma.copy ring[k % 2] => out.chunkat(k, _);
      } }
    }
  }
}
"""
    src = np.arange(128, dtype=np.int32).reshape(4, 32)
    assert ran(text, {"src": src, "out": np.zeros_like(src)}).outputs["out"].tolist() == src.tolist()


def test_a_guard_keeps_other_threads_from_reading_outside() -> None:
    src = np.arange(8, dtype=np.int32) + 1
    assert threads("out.at(t) = t < 8 ? src.at(t) : 0;", src=src).tolist() == [*range(1, 9), *[0] * 56]
    assert threads("if (t < 8 && src.at(t) > 4) out.at(t) = 1;", src=src).sum() == 4


def test_division_and_remainder_go_towards_zero() -> None:
    got = threads("mutable int d = t - 32; out.at(t) = (d / 5) * 100 + d % 5;")
    want = [int((t - 32) / 5) * 100 + int(np.fmod(t - 32, 5)) for t in range(64)]
    assert got.tolist() == want


def test_local_buffers_belong_to_one_thread_each() -> None:
    got = threads(
        "local s32 [4] own; foreach k in 4 { own.at(k) = t * k; } mutable s32 sum = 0;"
        "foreach k in 4 { sum += own.at(k); } out.at(t) = sum;"
    )
    assert got.tolist() == (T * 6).tolist()


def test_shared_data_is_seen_by_all_threads_after_the_barrier() -> None:
    got = threads("s.at(t) = t * t; sync.shared; out.at(t) = s.at(63 - t);", decls="shared s32 [64] s;")
    assert got.tolist() == ((63 - T) ** 2).tolist()


def test_bytes_wrap_and_half_precision_rounds() -> None:
    assert threads("out.at(t) = t * 5;", kind="u8").tolist() == (T * 5 % 256).tolist()
    src = np.full(64, 2049, np.float32)
    assert threads("out.at(t) = src.at(t);", kind="f16", src=src).tolist() == [2048.0] * 64


@pytest.mark.parametrize(
    ("expr", "want"),
    [
        ("src.at(t) < 5u", [0, 0, 1]),  # as u32, below zero is large
        ("src.at(t) < 5", [1, 1, 1]),
        ("src.at(t) / 2u == 2147483647", [1, 1, 0]),
        ("src.at(t) * 3000000000 == 0 - 6000000000", [1, 0, 0]),  # too large for s32: s64
        ("__to<u32>(2) * 2147483648 == 0", [0, 0, 0]),
        ("__to<u32>(2) * 2147483648u == 0", [1, 1, 1]),
        ("src.at(t) * 2147483647ll < 0", [1, 1, 0]),
        ("5u - 6u > 0", [1, 1, 1]),
    ],
)
def test_literals_have_the_type_of_their_suffix_and_size(expr: str, want: list[int]) -> None:
    """Section 1.3.5, for -2, -1 and 3."""
    src = np.array([-2, -1, 3], np.int32)
    assert threads(f"out.at(t) = {expr} ? 1 : 0;", count=3, src=src).tolist() == want


def test_integers_meet_floats_as_that_float() -> None:
    src = np.full(64, 0.1, np.float32)
    got = threads("out.at(t) = src.at(t) * t;", kind="f32", src=src)
    assert got.tolist() == (src * T.astype(np.float32)).tolist()


def test_atomics_count_every_thread() -> None:
    text = """__co__ void f(global s32 [4] bins, global s32 [64] old) {
      parallel b by 2 : block parallel t by 32 : thread {
        x = __atomic_add(bins.at(t % 4), 1);
        old.at(b # t) = x;
      }
    }"""
    result = ran(text, {"bins": np.zeros(4, np.int32), "old": np.zeros(64, np.int32)})
    assert result.outputs["bins"].tolist() == [16] * 4
    old = result.outputs["old"].reshape(2, 8, 4)
    assert sorted(old[:, :, 0].ravel().tolist()) == list(range(16))


@pytest.mark.parametrize(
    ("call", "want"),
    [
        ("__atomic_max(cell.at(0), t)", 63),
        ("__atomic_min(cell.at(0), 0 - t)", -63),
        ("__atomic_sub(cell.at(0), 2)", 7 - 128),
        ("__atomic_or(cell.at(0), 64)", 7 | 64),
        ("__atomic_xor(cell.at(0), 1)", 7),
    ],
)
def test_atomic_operations(call: str, want: int) -> None:
    text = f"__co__ void f(global s32 [1] cell) {{ parallel t by 64 : thread {{ {call}; }} }}"
    assert ran(text, {"cell": np.array([7], np.int32)}).outputs["cell"].tolist() == [want]


def test_compare_and_swap_lets_one_thread_win() -> None:
    text = """__co__ void f(global u32 [1] lock, global u32 [64] old) {
      parallel t by 64 : thread { x = __atomic_cas(lock.at(0), 0, 1); old.at(t) = x; }
    }"""
    result = ran(text, {"lock": np.zeros(1, np.uint32), "old": np.full(64, 9, np.uint32)})
    assert result.outputs["lock"].tolist() == [1]
    assert result.outputs["old"].tolist().count(0) == 1


def test_block_level_stores_happen_once() -> None:
    text = """__co__ void f(global s32 [2] out) {
      parallel b by 2 : block { out.at(b) += 1; parallel t by 32 : thread { } }
    }"""
    assert ran(text, {"out": np.zeros(2, np.int32)}).outputs["out"].tolist() == [1, 1]


def test_maths_have_the_type_of_their_argument() -> None:
    src = np.linspace(0.1, 3, 64).astype(np.float32)
    got = threads("out.at(t) = __exp(src.at(t)) + __max(src.at(t), 1.0f);", kind="f32", src=src)
    assert np.allclose(got, np.exp(src) + np.maximum(src, 1), rtol=1e-6)


def test_composed_indices_and_the_last_value() -> None:
    text = """__co__ void f(global s32 [8, 8] out) {
      parallel {a, b} by [2, 2] : block parallel {x, y} by [4, 4] : thread
        with k in 5 { out.at(a # x, b # y) = k(-1) * 1000 + #k * 100 + (a # x) * 10 + b # y; }
    }"""
    got = ran(text, {"out": np.zeros((8, 8), np.int32)}).outputs["out"]
    assert got.tolist() == (4500 + 10 * np.arange(8)[:, None] + np.arange(8)).tolist()
