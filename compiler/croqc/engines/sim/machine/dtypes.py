"""Element types as NumPy types: storage, arithmetic, poison, rounding (reference, 3.1; decisions, "Running").

Must not know buffers. Types that NumPy lacks come from ml_dtypes.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
DType = np.dtype[Any]

STORAGE: dict[str, DType] = {
    **{name: np.dtype(kind) for name, kind in (("f16", np.float16), ("f32", np.float32), ("f64", np.float64))},
    **{f"s{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    "int": np.dtype(np.int32),
    "bool": np.dtype(np.bool_),
    "tf32": np.dtype(np.float32),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f8_e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8_e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "f8_ue8m0": np.dtype(ml_dtypes.float8_e8m0fnu),
    "f6_e2m3": np.dtype(ml_dtypes.float6_e2m3fn),
    "f6_e3m2": np.dtype(ml_dtypes.float6_e3m2fn),
    "f4_e2m1": np.dtype(ml_dtypes.float4_e2m1fn),
}
_EXTENSIONS = {kind for name, kind in STORAGE.items() if name.startswith(("bf", "f8", "f6", "f4"))}
_POISON_BYTE = 0x7F


def dtype_of(elem: str) -> DType:
    """The storage type of an element type. Raises KeyError for a type without one (f8_ue4m3)."""
    return STORAGE[elem]


def is_float(kind: DType) -> bool:
    return kind.kind == "f" or kind in _EXTENSIONS


def is_integer(kind: DType) -> bool:
    return kind.kind in "iu"


def poison(flat: Array) -> None:
    """Fills memory that nothing has written yet: NaN where the type has one, else bytes 0x7F (3.6)."""
    if flat.dtype.kind == "f":
        flat.fill(np.nan)
    elif flat.dtype in _EXTENSIONS and not np.isnan(np.array(np.nan, np.float32).astype(flat.dtype).astype(np.float32)):
        flat.fill(flat.dtype.type(0))
    elif flat.dtype in _EXTENSIONS:
        flat.fill(flat.dtype.type(np.nan))
    elif flat.dtype.kind == "b":
        flat.fill(True)
    else:
        flat.view(np.uint8).fill(_POISON_BYTE)


def compute_type(elem: str) -> DType:
    """The type in which multiplies of `elem` operands are summed: f32, f64 for f64 and for integers (exact)."""
    kind = dtype_of(elem)
    return np.dtype(np.float64) if elem == "f64" or is_integer(kind) else np.dtype(np.float32)


def round_tf32(values: Array) -> Array:
    """f32 values rounded to 10 mantissa bits, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    odd = (bits >> np.uint32(13)) & np.uint32(1)
    rounded = (bits + np.uint32(0xFFF) + odd) & np.uint32(0xFFFFE000)
    finite = np.isfinite(values)
    return np.where(finite, rounded.view(np.float32), values)


def convert(values: Array, kind: DType) -> Array:
    """Values as `kind`. Float to integer truncates, integers wrap; f8_e4m3 and narrower saturate."""
    if values.dtype == kind:
        return values
    if kind in _EXTENSIONS and kind.itemsize == 1:
        return _saturate(values, kind)
    if kind.kind in "iu" and is_float(values.dtype):
        with np.errstate(invalid="ignore"):
            return values.astype(np.float64).astype(np.int64).astype(kind)
    with np.errstate(over="ignore", invalid="ignore"):
        if values.dtype in _EXTENSIONS and kind in _EXTENSIONS:
            return values.astype(np.float32).astype(kind)
        return values.astype(kind)


def _saturate(values: Array, kind: DType) -> Array:
    top = float(ml_dtypes.finfo(kind).max)  # type: ignore[no-untyped-call]
    wide = values.astype(np.float64 if values.dtype == np.float64 else np.float32)
    if kind == STORAGE["f8_e5m2"]:
        return wide.astype(kind)
    clipped: Array = np.clip(wide, -top, top).astype(kind)
    return clipped
