"""Element types as arrays: NumPy dtypes, rounding, poison (reference, 3.1 and 3.6). Must not know kernels.

Types that NumPy lacks come from `ml_dtypes`. Integers below a byte live in int8 or uint8, a value each; tf32
lives in float32; f8_ue4m3 in float8_e4m3fn without its sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from croqc.sema import elements

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Element:
    """`kind` is "float", "int", "uint" or "bool"; `bits` as in `sema.elements`; `dtype` the container."""

    name: str
    kind: str
    bits: int
    dtype: np.dtype[Any]


_FLOATS: Final[Mapping[str, Any]] = {
    "f64": np.float64,
    "f32": np.float32,
    "tf32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8_e4m3": ml_dtypes.float8_e4m3fn,
    "f8_e5m2": ml_dtypes.float8_e5m2,
    "f8_ue4m3": ml_dtypes.float8_e4m3fn,
    "f8_ue8m0": ml_dtypes.float8_e8m0fnu,
    "f6_e3m2": ml_dtypes.float6_e3m2fn,
    "f6_e2m3": ml_dtypes.float6_e2m3fn,
    "f4_e2m1": ml_dtypes.float4_e2m1fn,
}


def _element(name: str) -> Element:
    row = elements.ELEMENTS[elements.canonical(name)]
    match row.kind:
        case "float":
            return Element(name, "float", row.bits, np.dtype(_FLOATS[name]))
        case "bool":
            return Element(name, "bool", row.bits, np.dtype(np.bool_))
        case kind:
            short = "int" if kind == "signed" else "uint"
            return Element(name, short, row.bits, np.dtype(f"{short}{max(row.bits, 8)}"))


# Canonical name (`keywords.canonical_type`), `int` or `bool` -> element.
ELEMENTS: Final[Mapping[str, Element]] = MappingProxyType(
    {name: _element(name) for name in (*elements.ELEMENTS, "int")}
)


def int_range(elem: str) -> tuple[int, int]:
    """Least and greatest value of an integer type, both included."""
    row = ELEMENTS[elem]
    if row.kind == "int":
        return -(2 ** (row.bits - 1)), 2 ** (row.bits - 1) - 1
    return 0, 2**row.bits - 1


def eps(elem: str) -> float:
    """The gap between 1 and the next value of a float type; 0 for all others."""
    if elem == "tf32":
        return float(2.0**-10)
    row = ELEMENTS[elem]
    return float(_limits(row).eps) if row.kind == "float" else 0.0


def _limits(row: Element) -> Any:
    return ml_dtypes.finfo(row.dtype)  # type: ignore[no-untyped-call]


def round_to(elem: str, values: Array) -> Array:
    """`values` as the element type holds them, in its container.

    Floats round to nearest, ties to even; the types of 8 bits and fewer saturate. Integers wrap; a float that
    becomes one is cut towards zero and saturates, NaN gives 0.
    """
    row = ELEMENTS[elem]
    source = np.asarray(values)
    with np.errstate(all="ignore"):
        if row.kind == "bool":
            return np.asarray(source != 0)
        if row.kind == "float":
            return _round_float(row, source)
        if source.dtype.kind not in "iub":
            source = _cut(elem, source.astype(np.float64))
        return _wrap(row, source)


def _round_float(row: Element, source: Array) -> Array:
    if row.name == "tf32":
        return round_tf32(_odd_single(source))
    if row.dtype.kind == "f" and row.dtype.itemsize >= 2 and row.name in ("f64", "f32", "f16"):
        return source.astype(row.dtype)
    single = _odd_single(source)
    if row.bits <= 8:
        top = np.float32(_limits(row).max)
        low = np.float32(0) if row.name == "f8_ue4m3" else -top
        # Zero and less have no value in f8_ue8m0; they become its NaN.
        single = np.minimum(single, top) if row.name == "f8_ue8m0" else np.clip(single, low, top)
    return single.astype(row.dtype)


def _odd_single(source: Array) -> Array:
    """f32 values from which a second rounding gives what one rounding of the f64 would give.

    Rounding to odd: an inexact value takes the neighbour whose last bit is 1 (Boldo, Melquiond 2008).
    """
    wide = source.astype(np.float64)
    single = wide.astype(np.float32)
    inexact = np.isfinite(single) & (single.astype(np.float64) != wide)
    if not inexact.any():
        return single
    even = inexact & ((single.view(np.uint32) & 1) == 0)
    towards = np.where(single.astype(np.float64) < wide, np.float32(np.inf), np.float32(-np.inf))
    return np.where(even, np.nextafter(single, towards), single)


def round_tf32(values: Array) -> Array:
    """f32 values rounded to the 10 fraction bits of tf32, ties to even; infinities and NaN stay."""
    single = np.asarray(values, dtype=np.float32)
    bits = single.view(np.uint32)
    rounded = (bits + (np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1)))) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(single), rounded.view(np.float32), single)


def _cut(elem: str, values: Array) -> Array:
    low, high = int_range(elem)
    cut = np.trunc(np.nan_to_num(values, nan=0.0))
    dtype = np.dtype(np.uint64 if high >= 2**63 else np.int64)
    inside = np.clip(cut, float(low), float(high))
    # float(2**63 - 1) is 2**63, which no int64 holds: such values take the limit directly.
    whole = np.where(inside >= float(high), 0.0, inside).astype(dtype)
    return np.where(inside >= float(high), dtype.type(high), whole)


def _wrap(row: Element, source: Array) -> Array:
    if row.bits >= 8:
        return source.astype(row.dtype)
    low = source.astype(np.int64) & (2**row.bits - 1)
    if row.kind == "int":
        low = np.where(low >= 2 ** (row.bits - 1), low - 2**row.bits, low)
    return np.asarray(low, dtype=row.dtype)


def poison(elem: str, shape: tuple[int, ...]) -> Array:
    """What an unwritten buffer holds: NaN, or bytes 0x7F cut to the width where the type has none."""
    row = ELEMENTS[elem]
    if row.kind == "float" and row.bits >= 8:
        return np.full(shape, np.nan, dtype=np.float32).astype(row.dtype)
    if row.kind == "bool":
        return np.full(shape, True)
    return _of_bytes(0x7F, row, shape)


def other_poison(elem: str, shape: tuple[int, ...]) -> Array:
    """Another content of an unwritten buffer: an element that holds the one in one run and this in another has been
    written in none, for each of both may be what a program computes."""
    row = ELEMENTS[elem]
    return np.full(shape, False) if row.kind == "bool" else _of_bytes(0x55, row, shape)


def _of_bytes(byte: int, row: Element, shape: tuple[int, ...]) -> Array:
    raw = np.full((*shape, row.dtype.itemsize), byte, dtype=np.uint8)
    if row.bits < 8:  # a float keeps its sign bit clear
        raw &= np.uint8(2 ** (row.bits - (row.kind != "uint")) - 1)
    return raw.view(row.dtype).reshape(shape)
