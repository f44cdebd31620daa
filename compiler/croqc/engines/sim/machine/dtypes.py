"""Element types as the simulator stores and converts them (reference, 3.1; decisions, "Running").

Must not know buffers. Containers, poison and tf32 are those of `runs.elements`, so that inputs, simulated memory and
expected values agree.
"""

from __future__ import annotations

from typing import Any, Final

import ml_dtypes
import numpy as np

from croqc.engines.sim.errors import SimError
from croqc.runs.elements import ELEMENTS, Array, round_tf32

__all__ = ["Array", "DType", "convert", "dtype_of", "holds", "is_float", "is_integer", "poison", "round_tf32"]

DType = np.dtype[Any]

# Types whose container holds more values than they do: what arithmetic leaves in it would be no value of theirs.
_LOOSE: Final = frozenset({"s6", "s4", "s2", "u6", "u4", "u2", "u1", "bin1", "f8_ue4m3"})
_STORAGE: Final = {name: row.dtype for name, row in ELEMENTS.items() if name not in _LOOSE}
_EXTENSIONS: Final = frozenset(kind for kind in _STORAGE.values() if kind.type.__module__ == "ml_dtypes")
_POISON_BYTE: Final = 0x7F


def holds(elem: str) -> bool:
    """Whether the simulator has memory for an element type."""
    return elem in _STORAGE


def dtype_of(elem: str) -> DType:
    """The storage type of an element type. Raises SimError for a type without one (those below a byte, f8_ue4m3)."""
    if elem not in _STORAGE:
        raise SimError(f"the element type '{elem}' is not simulated", unsupported=True)
    return _STORAGE[elem]


def is_float(kind: DType) -> bool:
    return kind.kind == "f" or kind in _EXTENSIONS


def is_integer(kind: DType) -> bool:
    return kind.kind in "iu"


def poison(flat: Array) -> None:
    """Fills memory that nothing has written yet: NaN where the type has one, else bytes 0x7F cut to its width (3.6)."""
    if flat.dtype.kind == "f":
        flat.fill(np.nan)
    elif flat.dtype in _EXTENSIONS:
        limits = ml_dtypes.finfo(flat.dtype)  # type: ignore[no-untyped-call]
        flat.fill(np.nan if limits.bits >= 8 else limits.max)
    elif flat.dtype.kind == "b":
        flat.fill(True)
    else:
        flat.view(np.uint8).fill(_POISON_BYTE)


def convert(values: Array, kind: DType) -> Array:
    """Values as `kind`. Float to integer truncates, integers wrap; floats of 8 bits and fewer saturate."""
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
    clipped: Array = np.clip(wide, -top, top).astype(kind)
    return clipped
