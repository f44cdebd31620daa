"""Loops that run as one array operation give bit for bit what running them round by round gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.kernels import Array, ran

SUM = """__co__ void f(global {elem} [M, K] a, global {elem} [K, N] b, global {acc} [M, N] out) {{
  parallel i by M : block parallel j by N : thread {{
    {body}
  }}
}}"""
QUICK = "foreach k in K out.at(i, j) += a.at(i, k) * b.at(k, j);"
SLOW = "foreach k in K { out.at(i, j) += a.at(i, k) * b.at(k, j); x = k; }"
SCALAR = "mutable TYPE s = 0; foreach k in K s += a.at(i, k) * b.at(k, j); out.at(i, j) = s;"


def product(body: str, elem: str, acc: str, exact: bool = False, shape: tuple[int, int, int] = (3, 5, 333)) -> Array:
    m, n, k = shape
    kinds = {"f16": np.float16, "f32": np.float32, "s32": np.int32, "u8": np.uint8}
    rng = np.random.default_rng(9)
    draw = (lambda s: rng.integers(0, 100, s)) if elem[0] in "su" else (lambda s: rng.standard_normal(s))
    arrays = {
        "a": draw((m, k)).astype(kinds[elem]),
        "b": draw((k, n)).astype(kinds[elem]),
        "out": np.zeros((m, n), kinds[acc]),
    }
    return ran(SUM.format(elem=elem, acc=acc, body=body.replace("TYPE", acc)), arrays, exact=exact).outputs["out"]


@pytest.mark.parametrize("body", [QUICK, SCALAR], ids=["element", "scalar"])
@pytest.mark.parametrize(
    ("elem", "acc"), [("f32", "f32"), ("f16", "f16"), ("f16", "f32"), ("s32", "s32"), ("u8", "s32")]
)
def test_sums_are_taken_in_the_order_of_the_loop(body: str, elem: str, acc: str) -> None:
    assert (product(body, elem, acc) == product(SLOW, elem, acc)).all()


@pytest.mark.parametrize("width", [1, 2])
def test_one_thread_sums_in_order_too(width: int) -> None:
    shape = (2, width, 1000)
    assert (product(QUICK, "f32", "f32", shape=shape) == product(SLOW, "f32", "f32", shape=shape)).all()


def test_the_exact_run_rounds_what_it_stores_in_every_round() -> None:
    assert (product(QUICK, "f16", "f16", exact=True) == product(SLOW, "f16", "f16", exact=True)).all()


def test_a_running_sum_that_reads_its_target_is_not_taken_for_a_reduction() -> None:
    text = """__co__ void f(global s32 [8] out) {
      parallel t by 1 : thread { foreach k in 5 out.at(0) += out.at(0) + 1; }
    }"""
    assert ran(text, {"out": np.zeros(8, np.int32)}).outputs["out"][0] == 31


def test_two_names_of_one_buffer_are_seen_to_be_one() -> None:
    text = """__co__ void f(global s32 [4] out) {
      parallel t by 1 : thread {
        v = out.subspan(2).at(0);
        foreach k in 3 out.at(0) += v.at(0) + 1;
      }
    }"""
    assert ran(text, {"out": np.zeros(4, np.int32)}).outputs["out"][0] == 7


def test_a_target_that_moves_with_the_index_is_not_a_reduction() -> None:
    text = "__co__ void f(global s32 [8] out) { parallel t by 1 : thread { foreach k in 8 out.at(k) += k; } }"
    assert ran(text, {"out": np.ones(8, np.int32)}).outputs["out"].tolist() == [1 + k for k in range(8)]


def test_masked_threads_keep_their_value() -> None:
    text = """__co__ void f(global s32 [8] out) {
      parallel t by 8 : thread { if (t % 2 == 0) { foreach k in 4 out.at(t) += k; } }
    }"""
    assert ran(text, {"out": np.zeros(8, np.int32)}).outputs["out"].tolist() == [6, 0] * 4
