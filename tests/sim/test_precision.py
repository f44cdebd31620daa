"""Multiplies against loops that round where the instruction does (decisions, "Running")."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from croqc.engines.sim.machine.dtypes import convert, dtype_of, poison, round_tf32
from croqc.engines.sim.machine.tensor import multiply, operand, precision, scaled

RNG = np.random.default_rng(5)


def test_f16_accumulators_round_once_an_instruction() -> None:
    a, b = RNG.standard_normal((8, 64)).astype(np.float16), RNG.standard_normal((64, 8)).astype(np.float16)
    how = precision("f16", dtype_of("f16"), 16, False)
    acc = np.zeros((8, 8), np.float16)
    multiply(acc, operand(a, how), operand(b, how), how)
    want = np.zeros((8, 8), np.float16)
    for start in range(0, 64, 16):
        for m in range(8):
            for n in range(8):
                exact = sum(float(a[m, k]) * float(b[k, n]) for k in range(start, start + 16))
                want[m, n] = np.float16(np.float32(want[m, n]) + np.float32(exact))
    assert np.abs(acc.astype(np.float32) - want.astype(np.float32)).max() <= 2**-10 * np.abs(want).max()
    whole = a.astype(np.float64) @ b.astype(np.float64)
    assert (acc != whole.astype(np.float16)).any()


def test_integer_sums_are_exact_and_wrap() -> None:
    a = np.full((1, 4), 127, np.int8)
    how = precision("s8", dtype_of("s32"), 32, False)
    acc = np.array([[2**31 - 10]], np.int32)
    multiply(acc, operand(a, how), operand(a.T, how), how)
    assert acc[0, 0] == 2**31 - 10 + 4 * 127 * 127 - 2**32


def test_f32_operands_are_rounded_to_ten_bits() -> None:
    how = precision("f32", dtype_of("f32"), 8, False)
    acc = np.zeros((1, 1), np.float32)
    value = np.array([[1 + 2.0**-12]], np.float32)
    multiply(acc, operand(value, how), operand(value, how), how)
    assert acc[0, 0] == 1.0


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (1 + 2.0**-11, 1.0),
        (1 + 3 * 2.0**-11, 1 + 2.0**-9),
        (1 + 2.0**-11 + 2.0**-20, 1 + 2.0**-10),
        (-2.5, -2.5),
        (np.inf, np.inf),
    ],
)
def test_tf32_rounds_to_nearest_even(value: float, want: float) -> None:
    assert round_tf32(np.array([value], np.float32))[0] == np.float32(want)


def test_f64_accumulators_take_f64_products() -> None:
    how = precision("f64", dtype_of("f64"), 4, False)
    acc = np.zeros((1, 1))
    multiply(acc, np.array([[1 + 2.0**-40]]), np.array([[1 + 2.0**-40]]), how)
    assert acc[0, 0] == 1 + 2.0**-39


def test_the_exact_run_does_not_round_operands_or_sums() -> None:
    how = precision("f32", np.dtype(np.float64), 8, True)
    acc = np.zeros((1, 1))
    value = np.array([[1 + 2.0**-20]], np.float32)
    multiply(acc, operand(value, how), operand(value, how), how)
    assert acc[0, 0] == (1 + 2.0**-20) ** 2


def test_scales_multiply_rows() -> None:
    acc, sums = np.ones((2, 2), np.float32), np.array([[1, 2], [3, 4]], np.float32)
    scaled(acc, sums, np.array([2, 10], np.float32), 0.5)
    assert acc.tolist() == [[2, 3], [16, 21]]


def test_narrow_floats_saturate_and_integers_wrap() -> None:
    wide = np.array([1e6, -1e6, 1.0], np.float32)
    assert convert(wide, dtype_of("f8_e4m3")).astype(np.float32).tolist() == [448, -448, 1]
    assert convert(wide, dtype_of("f8_e5m2")).astype(np.float32).tolist() == [57344, -57344, 1]
    assert convert(np.array([300, -1]), dtype_of("u8")).tolist() == [44, 255]
    assert convert(np.array([2.9, -2.9], np.float32), dtype_of("s32")).tolist() == [2, -2]


@pytest.mark.parametrize("elem", ["f16", "f32", "f64", "bf16", "f8_e4m3", "f8_e5m2"])
def test_poison_is_nan_where_there_is_one(elem: str) -> None:
    flat = np.zeros(4, dtype_of(elem))
    poison(flat)
    assert np.isnan(flat.astype(np.float32)).all()


def test_poisoned_integers_are_bytes_7f() -> None:
    flat = np.zeros(2, np.int32)
    poison(flat)
    assert flat.tolist() == [0x7F7F7F7F] * 2


@pytest.mark.parametrize(("elem", "value"), [("f6_e3m2", 28.0), ("f6_e2m3", 7.5), ("f4_e2m1", 6.0)])
def test_poison_of_types_without_nan_is_the_greatest_value(elem: str, value: float) -> None:
    flat = np.zeros(2, dtype_of(elem))
    poison(flat)
    assert flat.astype(np.float32).tolist() == [value, value]


def test_storage_types() -> None:
    assert dtype_of("f8_e4m3") == np.dtype(ml_dtypes.float8_e4m3fn)
    assert dtype_of("tf32") == np.dtype(np.float32)
    assert dtype_of("f4_e2m1").itemsize == 1
