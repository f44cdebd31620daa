"""Multiplies with the stated precision (decisions, "Running"; reference, 6.2, 6.7). Must not know when they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from croqc.engines.sim.machine.dtypes import Array, DType, convert, is_float, is_integer, round_tf32


@dataclass(frozen=True, slots=True)
class Precision:
    """`compute`: the type in which one instruction sums; `acc`: the accumulator's type; `step`: the instruction's K."""

    compute: DType
    acc: DType
    step: int
    tf32: bool = False


def precision(elem_a: str, acc: DType, step: int, exact: bool) -> Precision:
    """How operands of `elem_a` are multiplied into an accumulator of type `acc`."""
    if exact and is_float(acc):
        return Precision(np.dtype(np.float64), np.dtype(np.float64), 1 << 30)
    wide = acc == np.dtype(np.float64) or is_integer(acc)
    compute = np.dtype(np.float64) if wide else np.dtype(np.float32)
    return Precision(compute, acc, step, elem_a in ("f32", "tf32") and not wide)


def operand(values: Array, how: Precision) -> Array:
    """Operand elements in the type of the sums; f32 operands are rounded to tf32."""
    wide = values.astype(how.compute)
    return round_tf32(wide) if how.tf32 else wide


def multiply(acc: Array, a: Array, b: Array, how: Precision) -> None:
    """acc += a @ b with a [M, K] and b [K, N] in the type of the sums; rounded to acc's type per instruction.

    Integer sums are exact in f64 (|a b| <= 2^16, K < 2^36) and wrap as the accumulator's type does.
    """
    for start in range(0, a.shape[1], how.step):
        part = a[:, start : start + how.step] @ b[start : start + how.step]
        if is_integer(acc.dtype):
            acc += part.astype(np.int64).astype(acc.dtype)
        elif acc.dtype == how.compute:
            acc += part
        else:
            acc[...] = convert(acc.astype(how.compute) + part, acc.dtype)


def scaled(acc: Array, sums: Array, rows: Array, factor: Any) -> None:
    """acc[m, n] += sums[m, n] * rows[m] * factor."""
    wide: DType = np.dtype(np.float64 if acc.dtype == np.float64 else np.float32)
    terms: Any = sums.astype(wide) * rows.astype(wide)[:, None]
    acc[...] = convert(acc.astype(wide) + terms * wide.type(factor), acc.dtype)


def kept_places(codes: Array) -> Array:
    """2:4 metadata, bytes [M, K / 8], as the places [M, K / 4, 2] of the kept elements: 2 bits each, low ones first."""
    groups = np.stack([codes & 15, codes >> 4], axis=-1).reshape(len(codes), -1)
    return np.stack([groups & 3, groups >> 2], axis=-1)


def dense_rows(packed: Array, places: Array) -> Array:
    """The rows [M, K] of which the two elements of each group of four stand in `packed` [M, K / 2]; the rest is 0."""
    rows, groups, _ = places.shape
    dense = np.zeros((rows, groups, 4), packed.dtype)
    for kept in range(2):
        at = places[:, :, kept, None].astype(np.int64)
        each = packed.reshape(rows, groups, 2)[:, :, kept, None]
        np.put_along_axis(dense, at, np.take_along_axis(dense, at, axis=2) + each, axis=2)
    return dense.reshape(rows, groups * 4)
