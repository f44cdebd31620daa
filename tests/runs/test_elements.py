"""Rounding and poison, against values of the formats' definitions (OCP FP8 1.0, MX 1.0, IEEE 754)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from croqc.runs.elements import ELEMENTS, eps, int_range, poison, round_tf32, round_to
from croqc.syntax.keywords import ELEMENT_TYPES, SCALAR_TYPES


def rounded(elem: str, *values: float) -> list[float]:
    return [float(v) for v in round_to(elem, np.array(values, dtype=np.float64)).astype(np.float64)]


def test_every_element_type_has_a_row() -> None:
    assert set(ELEMENTS) == set(ELEMENT_TYPES.values()) | SCALAR_TYPES


@pytest.mark.parametrize(
    ("elem", "value", "expected"),
    [
        # 8 bits: 4 exponent, 3 fraction; 448 is the greatest, 2^-9 the least positive value.
        ("f8_e4m3", 448.0, 448.0),
        ("f8_e4m3", 1e9, 448.0),
        ("f8_e4m3", -math.inf, -448.0),
        ("f8_e4m3", 1.0625, 1.0),  # half way between 1 and 1.125: to even
        ("f8_e4m3", 1.1875, 1.25),  # half way between 1.125 and 1.25: to even
        ("f8_e4m3", 2.0**-9, 2.0**-9),
        ("f8_e4m3", 2.0**-10, 0.0),
        ("f8_e5m2", 1e9, 57344.0),
        ("f8_e5m2", 1.125, 1.0),
        ("f8_ue4m3", -3.0, 0.0),
        ("f8_ue4m3", 1.2, 1.25),
        ("f8_ue8m0", 3.1, 4.0),
        ("f8_ue8m0", 1e300, 2.0**127),
        ("f6_e3m2", 100.0, 28.0),
        ("f6_e2m3", -100.0, -7.5),
        ("f4_e2m1", 100.0, 6.0),
        ("f4_e2m1", 2.5, 2.0),  # between 2 and 3: to even
        ("f4_e2m1", 0.3, 0.5),
        ("f16", 65504.0, 65504.0),
        ("f16", 1e6, math.inf),
        ("f16", 1 + 2.0**-11, 1.0),
        ("bf16", 1 + 2.0**-8, 1.0),
        ("bf16", 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-7),  # by way of f32 it would be rounded twice, to 1
        ("bf16", -1 - 2.0**-8 - 2.0**-40, -1 - 2.0**-7),
        ("f8_e5m2", 1.125 + 2.0**-40, 1.25),
        ("tf32", 1 + 2.0**-11, 1.0),
        ("tf32", 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-10),
        ("tf32", 1 + 3 * 2.0**-11, 1 + 2.0**-9),
        ("f32", 1 + 2.0**-24, 1.0),
        ("f64", 0.1, 0.1),
        ("s8", 127.9, 127.0),
        ("s8", 300.0, 127.0),
        ("s8", -300.0, -128.0),
        ("s32", -2.9, -2.0),
        ("s4", 99.0, 7.0),
        ("u8", -5.0, 0.0),
        ("s64", 1e30, 2.0**63),
        ("u64", 1e30, 2.0**64),
        ("s32", math.nan, 0.0),
        ("bool", 0.5, 1.0),
        ("int", 3.7, 3.0),
    ],
)
def test_rounding(elem: str, value: float, expected: float) -> None:
    assert rounded(elem, value) == [expected]


def test_nan_stays_where_the_type_has_one() -> None:
    for elem in ("f8_e4m3", "f8_e5m2", "f16", "bf16", "tf32", "f32", "f64"):
        assert math.isnan(rounded(elem, math.nan)[0]), elem
    assert math.isnan(rounded("f8_ue8m0", -1.0)[0])


def test_integers_wrap() -> None:
    assert round_to("s8", np.array([128, 255, -129])).tolist() == [-128, -1, 127]
    assert round_to("s4", np.array([8, 15, 16, -9])).tolist() == [-8, -1, 0, 7]
    assert round_to("u2", np.array([4, 7, -1])).tolist() == [0, 3, 3]
    assert round_to("u8", np.array([-1])).tolist() == [255]
    assert round_to("s64", np.array([2**63 - 1])).tolist() == [2**63 - 1]
    assert round_to("bool", np.array([0, 2])).tolist() == [False, True]


def test_tf32_keeps_infinities_and_zero_bits() -> None:
    values = round_tf32(np.array([np.inf, -np.inf, -0.0, 3.0], dtype=np.float32))
    assert values.tolist() == [math.inf, -math.inf, -0.0, 3.0]
    assert math.copysign(1.0, values[2]) == -1.0


@given(st.floats(min_value=-1e4, max_value=1e4))
def test_tf32_is_the_nearest_value_of_eleven_bits(value: float) -> None:
    single = float(np.float32(value))
    got = float(round_tf32(np.array([single], dtype=np.float32))[0])
    unit = 2.0 ** max(math.frexp(single)[1] - 11, -136)  # below, the grid of the subnormals
    assert got == round(single / unit) * unit  # Python rounds ties to even, too


@given(st.floats(min_value=-3e38, max_value=3e38))
def test_bf16_is_the_nearest_value_of_eight_bits(value: float) -> None:
    unit = 2.0 ** max(math.frexp(value)[1] - 8, -133)
    assert rounded("bf16", value) == [round(value / unit) * unit]


def test_eps() -> None:
    assert [eps(name) for name in ("f64", "f32", "tf32", "f16", "bf16", "f8_e4m3", "f4_e2m1", "s32", "bool")] == [
        2.0**-52, 2.0**-23, 2.0**-10, 2.0**-10, 2.0**-7, 0.125, 0.5, 0.0, 0.0,
    ]  # fmt: skip


def test_int_range() -> None:
    assert [int_range(name) for name in ("s32", "s6", "s2", "u1", "bin1", "u64", "int")] == [
        (-(2**31), 2**31 - 1), (-32, 31), (-2, 1), (0, 1), (0, 1), (0, 2**64 - 1), (-(2**31), 2**31 - 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("elem", "value"),
    [("s32", 0x7F7F7F7F), ("u16", 0x7F7F), ("s8", 127), ("u8", 127), ("s4", 7), ("u4", 15), ("u1", 1), ("bool", True)],
)
def test_poison_of_integers(elem: str, value: int) -> None:
    made = poison(elem, (2, 3))
    assert made.shape == (2, 3)
    assert made.dtype == ELEMENTS[elem].dtype
    assert (made == value).all()


def test_poison_of_floats() -> None:
    for elem in ("f64", "f32", "tf32", "f16", "bf16", "f8_e4m3", "f8_e5m2", "f8_ue4m3", "f8_ue8m0"):
        assert np.isnan(poison(elem, (4,)).astype(np.float64)).all(), elem
    assert poison("f4_e2m1", (2,)).astype(np.float64).tolist() == [6.0, 6.0]  # it has no NaN
    assert poison("f6_e3m2", (1,)).astype(np.float64).tolist() == [28.0]
    assert poison("f32", ()).shape == ()
