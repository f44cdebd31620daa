"""Comparison: tolerances, the worst element, NaN and infinities, by hand."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from croqc.runs.compare import EXACT, Tolerance, compare, compare_truth, default_tolerance
from croqc.runs.elements import Array, round_tf32
from croqc.runs.inputs import input_array

NAN, INF = math.nan, math.inf


def test_the_edge_of_the_tolerance_is_inside() -> None:
    found = compare(np.array([1.0, 2.25, 3.0]), np.array([1.0, 2.0, 3.0]), Tolerance(0.125, 0.0))
    assert (found.differing, found.total) == (0, 3)
    outside = compare(np.array([1.0, 2.26, 3.0]), np.array([1.0, 2.0, 3.0]), Tolerance(0.125, 0.0))
    assert outside.differing == 1


def test_the_worst_element_is_the_one_furthest_outside() -> None:
    got, want = np.array([[100.5, 1.0], [1.25, 0.0]]), np.array([[100.0, 1.0], [1.0, 0.0]])
    found = compare(got, want, Tolerance(0.01, 0.0))
    assert found.worst is not None
    assert (found.worst.index, found.worst.got, found.worst.want) == ((1, 0), 1.25, 1.0)
    assert found.differing == 1
    assert found.norms.max_abs == 0.5
    assert found.norms.rel_l2 == pytest.approx(math.hypot(0.5, 0.25) / math.sqrt(100.0**2 + 2), rel=1e-15)


def test_nan_and_infinities() -> None:
    got = np.array([NAN, INF, -INF, NAN, 1.0, INF])
    want = np.array([NAN, INF, -INF, 1.0, NAN, -INF])
    found = compare(got, want, Tolerance(1.0, 1.0))
    assert found.differing == 3
    assert found.worst is not None
    assert found.worst.index == (3,)
    assert found.norms.max_abs == INF


def test_an_infinite_expectation_excuses_nothing() -> None:
    assert compare(np.array([5.0]), np.array([INF]), Tolerance(0.5, 0.5)).differing == 1


def test_integers_are_exact_beyond_f64() -> None:
    found = compare(np.array([2**62 + 1, 5]), np.array([2**62, 5]), EXACT)
    assert found.differing == 1
    assert found.worst is not None
    assert (found.worst.index, found.worst.got, found.worst.want) == ((0,), 2**62 + 1, 2**62)


def test_one_number_for_all_and_nothing_at_all() -> None:
    assert compare(np.zeros((2, 2)), np.array(0.0), EXACT).differing == 0
    empty = compare(np.zeros((0, 3)), np.zeros((0, 3)), EXACT)
    assert (empty.differing, empty.total, empty.worst) == (0, 0, None)
    scalar = compare(np.array(1.5), np.array(1.0), EXACT)
    assert scalar.worst is not None
    assert (scalar.total, scalar.worst.index) == (1, ())
    with pytest.raises(ValueError, match="shape"):
        compare(np.zeros(3), np.zeros(4), EXACT)


def test_norms_of_a_zero_expectation_are_absolute() -> None:
    assert compare(np.array([3.0, 4.0]), np.zeros(2), EXACT).norms.rel_l2 == 5.0


def test_truth() -> None:
    got, want = np.array([1.0, 5.0, 2.0]), np.array([2.0])
    found = compare_truth(got < want, got, want)
    assert (found.differing, found.total) == (2, 3)
    assert found.worst is not None
    assert (found.worst.index, found.worst.got, found.worst.want) == ((1,), 5.0, 2.0)


def test_default_tolerances() -> None:
    want = np.array([3.0, 4.0, NAN, INF])  # rms of the finite ones: sqrt(12.5)
    rtol, atol = default_tolerance("f16", want, "f32", steps=9)
    assert rtol == 4 * 2.0**-10
    assert atol == pytest.approx(4 * 2.0**-23 * 3 * math.sqrt(12.5), rel=1e-15)
    assert default_tolerance("f32", np.zeros(3)) == Tolerance(4 * 2.0**-23, 0.0)
    assert default_tolerance("s32", want, "f32", 9) == EXACT
    summed = default_tolerance("f32", want, "s32", steps=4)  # as split K by atomics on f32
    assert summed.atol == pytest.approx(4 * 2.0**-23 * 2 * math.sqrt(12.5), rel=1e-15)
    assert default_tolerance("bf16", np.array([2.0])).atol == 8 * 2.0**-7
    assert default_tolerance("f16", np.array([])).atol == 0.0


def test_factors_that_are_rounded_first_widen_the_tolerance() -> None:
    # Factors cut to 10 bits lose up to 2^-10 of themselves each, two of them up to 2^-9 of their product.
    want = np.array([3.0, 4.0])
    tight, wide = default_tolerance("f32", want, "f32", 4), default_tolerance("f32", want, "f32", 4, "tf32")
    assert wide.rtol == tight.rtol + 2.0**-9
    assert wide.atol - tight.atol == pytest.approx(4 * 2.0**-10 * np.sqrt(12.5), rel=1e-12)


def test_what_tensor_cores_cut_off_adds_up() -> None:
    want = np.array([64.0, -64.0])  # K = 4096 of N(0, 1): 256 instructions of K = 16
    found = default_tolerance("f16", want, "f32", 256)
    assert found == Tolerance(2.0**-8, 2.0**-9)  # 2^-23 * 2^8 * 2^6
    # f32 keeps what f16 rounds away: half of 2^-23 * 2^8 of a large element is lost.
    assert default_tolerance("f32", want, "f32", 256) == Tolerance(2.0**-16, 2.0**-9)
    assert default_tolerance("f32", want, "f32", 16) == Tolerance(2.0**-20, 2.0**-13)  # 4 sqrt(16) = 16
    # A loop that adds rounds to nearest, and so does an accumulator of f16: 4 sqrt(256) = 2^6.
    assert default_tolerance("f32", want, None, 256) == Tolerance(2.0**-21, 2.0**-11)
    assert default_tolerance("f16", want, "f16", 256) == Tolerance(2.0**-8, 2.0**2)


def test_products_of_f8_are_added_with_13_bits() -> None:
    want = np.array([32.0, -32.0])
    few = default_tolerance("bf16", want, "f32", 4, "f8_e4m3")
    assert few == Tolerance(2.0**-5, 2.0**-3)  # 16 * 2 * 2^-13 * 2^5
    many = default_tolerance("f32", want, "f32", 1024, "f8_e5m2")
    assert many == Tolerance(2.0**-4, 4.0)  # half of 2^-13 * 2^10; 2^-13 * 2^10 * 2^5
    assert default_tolerance("bf16", want, "f32", 1024, "f8_e5m2").rtol == 2.0**-4 > 4 * 2.0**-7


def cut(values: Array, bits: Array | int, largest: Array) -> Array:
    """Towards zero, with so many bits behind the point of the largest."""
    unit = 2.0 ** (np.floor(np.log2(np.maximum(largest, 2.0**-99))) - bits)
    return np.trunc(values / unit) * unit


def tensor_core(left: Array, right: Array, k: int, aligned: int) -> Array:
    """Sums over the first axis as the hardware makes them, `k` products at a time: see `default_tolerance`."""
    total = np.zeros(left.shape[1])
    for start in range(0, len(left), k):
        products = left[start : start + k] * right[start : start + k]
        largest = np.maximum(np.abs(products).max(axis=0), np.abs(total))
        whole = cut(products, aligned, largest).sum(axis=0) + cut(total, aligned, largest)
        total = cut(whole, 23, np.abs(whole))
    return total


@pytest.mark.parametrize(
    ("kind", "k", "aligned", "elem", "factor"),
    [(np.float16, 16, 25, "f32", None), (ml_dtypes.float8_e4m3fn, 32, 13, "bf16", "f8_e4m3")],
)
@pytest.mark.parametrize("depth", [64, 512, 4096])
def test_right_sums_are_within_and_wrong_ones_are_not(
    kind: Any, k: int, aligned: int, elem: str, factor: str | None, depth: int
) -> None:
    rng = np.random.default_rng(depth)
    left, right = (rng.standard_normal((depth, 4000)).astype(kind).astype(np.float64) for _ in range(2))
    want = (left * right).sum(axis=0)
    tolerance = default_tolerance(elem, want, "f32", depth // k, factor)
    right_sum = tensor_core(left, right, k, aligned)
    assert compare(right_sum, want, tolerance).differing == 0
    without = tensor_core(left[64:], right[64:], k, aligned)
    assert compare(without, want, tolerance).differing > 1000
    row = np.roll(right_sum, 1)
    assert compare(row, want, tolerance).differing > 3000
    if factor is None:
        coarse = np.zeros(4000, np.float16)
        for start in range(0, depth, k):
            step = (left[start : start + k] * right[start : start + k]).sum(axis=0)
            coarse = (coarse + step).astype(np.float16)
        assert compare(coarse, want, tolerance).differing > 3000


def _cut(values: Array) -> Array:
    """f32 values without the 13 bits that tf32 has no room for, as tensor cores may read them."""
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def test_a_product_of_factors_that_are_cut_is_within_the_tolerance() -> None:
    # No factor loses more than 1.0000000000111...1, which becomes 1; the other results are too small to help.
    worst = 1 + 2.0**-10 - 2.0**-23
    want = np.append(np.full(63, 1e-3), worst * worst)
    got = np.append(want[:63], np.prod(_cut(np.float32([worst, worst]))))
    assert got[63] == 1.0
    assert compare(got, want, default_tolerance("f32", want, "f32", 1, "tf32")).differing == 0


@pytest.mark.parametrize("depth", [1, 8, 16, 128])
@pytest.mark.parametrize("size", [64, 256])
def test_sums_of_factors_that_are_cut_are_within_the_tolerance(depth: int, size: int) -> None:
    for seed in range(4):
        a, b = input_array("f32", (size, depth), seed, 2), input_array("f32", (depth, size), seed, 3)
        want = a.astype(np.float64) @ b.astype(np.float64)
        tolerance = default_tolerance("f32", want, "f32", -(-depth // 8), "tf32")
        for factors in (_cut, round_tf32):
            got = factors(a).astype(np.float64) @ factors(b).astype(np.float64)
            assert compare(got, want, tolerance).differing == 0
        assert compare(want * 1.01, want, tolerance).differing > want.size / 4  # a scale that is off is still found


def test_the_box_of_the_differing_elements() -> None:
    want = np.zeros((6, 8))
    got = want.copy()
    got[2, 3] = got[4, 5] = got[3, 7] = 1.0
    assert compare(got, want, EXACT).within == ((2, 5), (3, 8))
    assert compare(want, want, EXACT).within is None
    assert compare(np.array(1.0), np.array(2.0), EXACT).within is None
    assert compare_truth(got < 1, got, want).within == ((2, 5), (3, 8))
