"""Inputs: distributions, ranges, and that the same seed gives the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.runs.elements import ELEMENTS
from croqc.runs.inputs import input_array, small_values


def test_normal_values_are_philox_with_the_seed_and_the_position() -> None:
    key = np.array([7, 2], dtype=np.uint64)
    expected = np.random.Generator(np.random.Philox(key=key)).standard_normal((3, 5)).astype(np.float32)
    assert input_array("f32", (3, 5), seed=7, position=2).tolist() == expected.tolist()


@pytest.mark.parametrize("elem", sorted(ELEMENTS))
def test_same_seed_same_bytes_and_no_other(elem: str) -> None:
    first, again = (input_array(elem, (64, 8), seed=3, position=1) for _ in range(2))
    assert first.dtype == ELEMENTS[elem].dtype
    assert first.shape == (64, 8)
    assert first.tobytes() == again.tobytes()
    for seed, position in ((4, 1), (3, 0)):
        assert first.tobytes() != input_array(elem, (64, 8), seed=seed, position=position).tobytes()


def test_a_larger_parameter_changes_no_other() -> None:
    alone = input_array("f16", (8,), seed=5, position=1)
    input_array("f16", (1000,), seed=5, position=0)
    assert input_array("f16", (8,), seed=5, position=1).tobytes() == alone.tobytes()


@pytest.mark.parametrize("elem", ["f64", "f32", "tf32", "f16", "bf16"])
def test_wide_floats_are_standard_normal(elem: str) -> None:
    values = input_array(elem, (20000,), seed=1, position=0).astype(np.float64)
    assert abs(values.mean()) < 4 / np.sqrt(20000)  # four standard errors
    assert abs(values.std() - 1) < 4 / np.sqrt(2 * 20000)
    assert np.abs(values).max() > 3


def test_tf32_values_have_ten_bits() -> None:
    bits = input_array("tf32", (100,), seed=1, position=0).view(np.uint32)
    assert not (bits & 0x1FFF).any()


def test_small_values_of_the_narrow_types() -> None:
    # f4_e2m1: 0, 0.5, 1, 1.5, 2 (then 3, 4, 6) and their negatives.
    assert small_values("f4_e2m1").astype(np.float64).tolist() == [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2]
    # e4m3, bias 7: 2 has the exponent field 8; fields 0 to 7 have 8 values each, and 2 itself.
    assert len(small_values("f8_e4m3")) == 2 * (8 * 8 + 1) - 1
    # e5m2, bias 15: fields 0 to 15 have 4 values each.
    assert len(small_values("f8_e5m2")) == 2 * (16 * 4 + 1) - 1
    assert len(small_values("f8_ue4m3")) == 8 * 8 + 1
    # e3m2, bias 3; e2m3, bias 1.
    assert len(small_values("f6_e3m2")) == 2 * (4 * 4 + 1) - 1
    assert len(small_values("f6_e2m3")) == 2 * (2 * 8 + 1) - 1
    # e8m0 holds the powers of two from 2^-127 on.
    assert small_values("f8_ue8m0").astype(np.float64).tolist() == [2.0**n for n in range(-127, 2)]


@pytest.mark.parametrize("elem", ["f4_e2m1", "f6_e3m2", "f8_e4m3"])
def test_narrow_floats_are_uniform_over_the_small_values(elem: str) -> None:
    values = input_array(elem, (200000,), seed=2, position=0).astype(np.float64)
    found, counts = np.unique(values, return_counts=True)
    assert found.tolist() == small_values(elem).astype(np.float64).tolist()
    expected = 200000 / len(found)
    assert np.abs(counts - expected).max() < 6 * np.sqrt(expected)


@pytest.mark.parametrize(
    ("elem", "low", "high"),
    [
        ("s64", -8, 8), ("s32", -8, 8), ("s8", -8, 8), ("s6", -8, 8), ("s4", -8, 7), ("s2", -2, 1), ("int", -8, 8),
        ("u32", 0, 15), ("u8", 0, 15), ("u4", 0, 15), ("u2", 0, 3), ("u1", 0, 1), ("bin1", 0, 1), ("bool", 0, 1),
    ],
)  # fmt: skip
def test_integers_take_every_value_of_their_range(elem: str, low: int, high: int) -> None:
    values = input_array(elem, (5000,), seed=9, position=3).astype(np.int64)
    assert np.unique(values).tolist() == list(range(low, high + 1))


def test_scalars() -> None:
    assert input_array("s32", (), seed=1, position=0).shape == ()
    assert input_array("f32", (), seed=1, position=0).shape == ()
    assert input_array("f8_e4m3", (), seed=1, position=0).dtype == ELEMENTS["f8_e4m3"].dtype
