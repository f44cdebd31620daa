"""Swizzled layouts of shared tiles (reference, 5.6). Must not move data.

Tiles are kept in logical order; a permutation is applied only where the layout that filled a tile and the one
that reads it differ. That gives the reader the very elements that the hardware would give it, because the
swizzle is an exclusive-or of address bits by higher bits and so undoes itself.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from croqc.engines.sim.machine.dtypes import Array

_MASKS = {0: 0, 32: 1, 64: 3, 128: 7}


def physical(address: Array, width: int) -> Array:
    """The byte address inside a tile whose rows are `width` bytes, after the swizzle of that width."""
    moved: Array = address ^ (((address >> 7) & _MASKS[width]) << 4)
    return moved


def _addresses(rows: int, row_bytes: int, width: int) -> Array:
    """Unswizzled byte addresses [rows, row_bytes] of a tile, wide rows split into groups of `width` bytes."""
    row = np.arange(rows)[:, None]
    byte = np.arange(row_bytes)[None, :]
    if width == 0 or row_bytes <= width:
        return row * row_bytes + byte
    return (byte // width) * (rows * width) + row * width + byte % width


@lru_cache(maxsize=256)
def permutation(rows: int, row_bytes: int, filled: int, read: int, itemsize: int) -> Array:
    """Flat element indices: what a reader with layout `read` finds in a tile filled with layout `filled`.

    Element i of the reader's tile is element `permutation[i]` of the logical tile. Widths in bytes, 0 for none.
    """
    where = np.empty(rows * row_bytes, np.int64)
    where[physical(_addresses(rows, row_bytes, filled), filled).ravel()] = np.arange(rows * row_bytes)
    seen = where[physical(_addresses(rows, row_bytes, read), read).ravel()]
    result: Array = seen[::itemsize] // itemsize
    result.flags.writeable = False
    return result
