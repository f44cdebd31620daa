"""How a tile that TMA moves is made of boxes (reference, 5.5; CUDA driver API, cuTensorMapEncodeTiled).

A box has up to 256 elements in each dimension and lies in shared memory without gaps, from a multiple of 128 bytes on;
the hardware permutes a swizzled one by bits of its address, and its rows are as wide as the swizzle. Arithmetic on
extents alone: must not know models or the IR.
"""

from __future__ import annotations

from itertools import product
from math import gcd, prod
from typing import Final

from croqc.text.record import record

MOST: Final = 256
"""Elements of a box in each dimension."""
_MOST_PARTS = 64  # of a row-major tile: each is an instruction of one thread
_BEGIN = 128  # bytes
_ROWS = 8  # behind which the permutation of a swizzle repeats
_WIDTHS = (128, 64, 32)


@record
class Part:
    """A box of a tile: where it begins there, and its extents, in elements, outermost first."""

    at: tuple[int, ...]
    box: tuple[int, ...]


def widest_swizzle(row_bytes: int) -> int:
    """The widest of the hardware's swizzles that divides a row; 0 where none does."""
    return next((each for each in _WIDTHS if row_bytes % each == 0), 0)


def parts(extents: tuple[int, ...], size: int, swizzle: int) -> tuple[Part, ...] | None:
    """The boxes of a tile of elements of `size` bytes, in a buffer swizzled by so many bytes: row-major without a
    swizzle; else of two dimensions, in column groups, stored group after group. None where a row-major tile cannot be
    made of boxes, or of very many."""
    return _in_groups(extents, swizzle // size) if swizzle else _in_rows(extents, size)


def in_boxes(extents: tuple[int, ...], size: int) -> bool:
    """Whether a tile can be made of boxes: as it lies row-major, or as it may come to lie, in groups of columns."""
    return parts(extents, size, 0) is not None or (len(extents) == 2 and widest_swizzle(extents[-1] * size) > 0)


def _in_groups(extents: tuple[int, ...], width: int) -> tuple[Part, ...]:
    rows, columns = extents
    groups = range(0, columns, width)
    return tuple(
        Part((row, column), (count, min(width, columns))) for column in groups for row, count in _cut(rows, _ROWS)
    )


def _in_rows(extents: tuple[int, ...], size: int) -> tuple[Part, ...] | None:
    """Cut along the innermost dimension that is too long; those around it have an element in each box, for a box of
    more would have gaps between its rows. Of two dimensions column groups are fewer boxes than rows are."""
    last = max((dim for dim, extent in enumerate(extents) if extent > MOST), default=0)
    inner = extents[last + 1 :]
    each = prod(inner) * size  # bytes of a step along that dimension
    if prod(extents[:last]) > 1 and (len(extents) == 2 or extents[last] * each % _BEGIN):
        return None
    cut = _cut(extents[last], _BEGIN // gcd(_BEGIN, each))
    if len(cut) * prod(extents[:last]) > _MOST_PARTS:
        return None
    starts = product(*(range(extent) for extent in extents[:last]))
    zeros, ones = (0,) * len(inner), (1,) * last
    return tuple(Part((*start, at, *zeros), (*ones, count, *inner)) for start in starts for at, count in cut)


def _cut(extent: int, step: int) -> tuple[tuple[int, int], ...]:
    """Beginnings and lengths of as few pieces as may be, that begin at multiples of `step`: equal ones where possible,
    for these have one tensor map."""
    count = -(-extent // MOST)
    length = extent // count if extent % count == 0 and extent // count % step == 0 else MOST
    return tuple((at, min(length, extent - at)) for at in range(0, extent, length))
