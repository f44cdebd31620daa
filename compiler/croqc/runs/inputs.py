"""The values that a run hands to its kernel. Must not know which parameters a kernel has.

Philox with the run's seed, a stream of its own for each parameter, so that another size of one parameter
changes no other one.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from croqc.runs.elements import ELEMENTS, Array, int_range, round_to

MASK = 2**64 - 1


def input_array(elem: str, shape: tuple[int, ...], seed: int, position: int) -> Array:
    """Values of the parameter at `position` (from 0), in the container of its element type.

    Floats: N(0, 1) rounded to the type; f8, f6 and f4: uniform over the finite values of magnitude at most 2.
    Integers: uniform over -8 to 8, unsigned 0 to 15, cut to what the type holds. bool: 0 or 1.
    """
    row = ELEMENTS[elem]
    draw = np.random.Generator(np.random.Philox(key=np.array([seed & MASK, position], dtype=np.uint64)))
    if row.kind == "float" and row.bits > 8:
        return round_to(elem, draw.standard_normal(shape))
    if row.kind == "float":
        values = small_values(elem)
        return values[draw.integers(len(values), size=shape)]
    if row.kind == "bool":
        return draw.integers(2, size=shape).astype(np.bool_)
    low, high = int_range(elem)
    least, most = (max(-8, low), min(8, high)) if row.kind == "int" else (0, min(15, high))
    return draw.integers(least, most, size=shape, endpoint=True).astype(row.dtype)


@cache
def small_values(elem: str) -> Array:
    """The finite values of magnitude at most 2 of a float type of 8 bits or fewer, ascending, one zero."""
    row = ELEMENTS[elem]
    values = np.arange(2**row.bits, dtype=np.uint8).view(row.dtype).astype(np.float64)
    if elem == "f8_ue4m3":
        values = values[: 2 ** (row.bits - 1)]
    small = np.unique(values[np.isfinite(values) & (np.abs(values) <= 2)])
    found = small.astype(row.dtype)
    found.flags.writeable = False
    return found
