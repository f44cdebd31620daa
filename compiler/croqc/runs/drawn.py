"""Large inputs, made where they are needed: by NumPy or by a namespace `xp` with the same functions on a card. Must not
know which parameters a kernel has.

The distributions are those of `inputs`, the values are others: each is a hash of seed, parameter and index (SplitMix64:
Steele, Lea, Flood 2014), which needs no library of a generator and no order. Types that NumPy lacks are kept as bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from croqc.runs.elements import ELEMENTS, Array, int_range, poison
from croqc.runs.evaluate import to_reference
from croqc.runs.inputs import MASK, small_values

CHUNK: Final = 1 << 24  # elements made at a time: what is worked with takes some 64 bytes an element
_GAMMA: Final = 0x9E3779B97F4A7C15
_MIX: Final = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


@dataclass(frozen=True, slots=True)
class Draw:
    """The contents of the parameter at `position` (from 0). `poisoned`: as an unwritten buffer has them."""

    elem: str
    shape: tuple[int, ...]
    seed: int
    position: int
    poisoned: bool = False

    @property
    def placeholder(self) -> Array:
        """Shape and type without contents; takes no memory."""
        return np.broadcast_to(np.zeros((), ELEMENTS[self.elem].dtype), self.shape)


def stored_type(elem: str) -> np.dtype[Any]:
    """The type in which an array is kept: its container, or unsigned integers of the same size where NumPy has none."""
    dtype = ELEMENTS[elem].dtype
    return dtype if _native(dtype) else np.dtype(f"u{dtype.itemsize}")


def _native(dtype: np.dtype[Any]) -> bool:
    """Whether it is NumPy's own, which other namespaces have too."""
    return dtype.isbuiltin == 1


def drawn(draw: Draw, xp: Any = np) -> Any:
    """The array, in `stored_type`."""
    kind, total = stored_type(draw.elem), math.prod(draw.shape)
    if draw.poisoned:
        return xp.full(draw.shape, poison(draw.elem, (1,)).view(kind)[0], dtype=kind)
    flat = xp.empty(total, dtype=kind)
    for start in range(0, total, CHUNK):
        stop = min(start + CHUNK, total)
        flat[start:stop] = _values(draw.elem, _bits(draw, start, stop, xp), xp)
    return flat.reshape(draw.shape)


def widened(elem: str, stored: Any, xp: Any = np) -> Any:
    """The values as `evaluate.to_reference` has them."""
    if _native(ELEMENTS[elem].dtype):
        return to_reference(stored, xp)
    table = _table(elem)
    out = xp.empty(stored.shape, dtype=np.float64)
    for part in _parts(stored.shape):
        out[part] = xp.asarray(table)[stored[part].astype(np.int64)]
    return out


def _parts(shape: tuple[int, ...]) -> Iterator[Any]:
    """Slices of the first axis that hold about a chunk each."""
    if not shape:
        yield ()
        return
    rows = max(1, CHUNK // max(1, math.prod(shape[1:])))
    for start in range(0, shape[0], rows):
        yield slice(start, start + rows)


@cache
def _table(elem: str) -> Array:
    """The value of each pattern of bits of a type of 16 bits or fewer."""
    dtype = ELEMENTS[elem].dtype
    with np.errstate(all="ignore"):
        return np.arange(2 ** (8 * dtype.itemsize)).astype(f"u{dtype.itemsize}").view(dtype).astype(np.float64)


def _mixed(value: int) -> int:
    """SplitMix64 of one number."""
    value = (value + _GAMMA) & MASK
    for shift, factor in _MIX:
        value = ((value ^ value >> shift) * factor) & MASK
    return value ^ value >> 31


def _bits(draw: Draw, start: int, stop: int, xp: Any) -> Any:
    """64 bits for each index from `start` to `stop`, of the stream of seed and position."""
    stream = _mixed(_mixed(draw.seed & MASK) ^ draw.position)
    found = xp.arange(start, stop, dtype=np.uint64) * np.uint64(_GAMMA) + np.uint64(stream)
    for shift, factor in _MIX:
        found = (found ^ (found >> np.uint64(shift))) * np.uint64(factor)
    return found ^ (found >> np.uint64(31))


def _values(elem: str, bits: Any, xp: Any) -> Any:
    row = ELEMENTS[elem]
    if row.kind == "float" and row.bits > 8:
        return _rounded(elem, _normal(bits, xp), xp)
    if row.kind == "float":
        patterns = small_values(elem).view(np.uint8)
        return xp.asarray(patterns)[(bits % np.uint64(len(patterns))).astype(np.int64)]
    if row.kind == "bool":
        return (bits & np.uint64(1)).astype(np.bool_)
    low, high = int_range(elem)
    least, most = (max(-8, low), min(8, high)) if row.kind == "int" else (0, min(15, high))
    return ((bits % np.uint64(most - least + 1)).astype(np.int64) + least).astype(row.dtype)


def _normal(bits: Any, xp: Any) -> Any:
    """N(0, 1) in f64 (Box and Muller 1958): a half of the bits each for radius and angle."""
    radius = ((bits >> np.uint64(32)).astype(np.float64) + 1.0) * 2.0**-32
    angle = (bits & np.uint64(0xFFFFFFFF)).astype(np.float64) * (math.tau * 2.0**-32)
    return xp.sqrt(-2.0 * xp.log(radius)) * xp.cos(angle)


def _rounded(elem: str, values: Any, xp: Any) -> Any:
    """Finite values in the stored type; for bf16 and tf32 by way of f32, to nearest with ties to even."""
    if elem not in ("bf16", "tf32"):
        return values.astype(ELEMENTS[elem].dtype)
    dropped = 16 if elem == "bf16" else 13
    bits = values.astype(np.float32).view(np.uint32)
    half = np.uint32((1 << (dropped - 1)) - 1)
    nearest = (bits + half + ((bits >> np.uint32(dropped)) & np.uint32(1))) >> np.uint32(dropped)
    if elem == "bf16":
        return nearest.astype(np.uint16)
    return (nearest << np.uint32(dropped)).view(np.float32)
