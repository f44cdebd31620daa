"""Views: windows of a buffer with origin, strides and validity (reference, 3.5 and 5.2). Must not move data.

A view knows how far it lies inside what it was cut from: `valid[d]` elements of dimension d exist, the rest of
its extent overhangs. Offsets, and with them validity, may differ from thread to thread: then they are arrays
over the threads of the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.machine.memory import Buffer

Num = Any
"""An integer, or an array of them over the threads of a path."""


class OutOfRangeError(Exception):
    """An access outside a buffer or a view; the text says which."""


def clamp(value: Num, low: int, high: int) -> Num:
    if isinstance(value, int):
        return low if value < low else min(value, high)
    return np.clip(value, low, high)


def dense(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides in elements."""
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    return tuple(strides)


@dataclass(slots=True, eq=False)
class View:
    """`offset` and `strides` in elements of `buffer.flat`; `slot` tells which slot's swizzle applies."""

    buffer: Buffer
    offset: Num
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    valid: tuple[Num, ...]
    slot: int = 0

    @property
    def uniform(self) -> bool:
        """The same window for all threads."""
        return isinstance(self.offset, int) and all(isinstance(extent, int) for extent in self.valid)

    def window(self, extents: Sequence[int] | None = None) -> Array:
        """The elements as an array that shares memory, cut to `extents`. Uniform views only.

        Raises OutOfRangeError where the strides leave the buffer.
        """
        shape = self.valid if extents is None else tuple(extents)
        if 0 in shape:
            return np.empty(shape, self.buffer.dtype)
        size = self.buffer.itemsize
        try:
            return np.ndarray(
                shape,
                self.buffer.dtype,
                buffer=self.buffer.raw,
                offset=self.offset * size,
                strides=[stride * size for stride in self.strides],
            )
        except ValueError as error:
            raise OutOfRangeError(f"a view of '{self.buffer.name}' reaches outside the buffer") from error

    def addresses(self, extents: Sequence[int]) -> tuple[Array, Array]:
        """Flat element addresses [threads, elements] of a box of every thread, and which of them are valid."""
        grids = np.indices(tuple(extents)).reshape(len(extents), -1)
        inner = np.zeros(prod(extents), np.int64)
        offset = np.atleast_1d(np.asarray(self.offset, np.int64))[:, None]
        inside = np.ones((offset.shape[0], inner.size), np.bool_)
        for grid, stride, valid in zip(grids, self.strides, self.valid, strict=True):
            inner = inner + grid * stride
            inside = inside & (grid[None, :] < np.atleast_1d(np.asarray(valid))[:, None])
        return offset + inner[None, :], inside

    def element(self, indices: Sequence[Num], mask: Any) -> Num:
        """The flat address of one element, for each thread; those off the mask are not checked.

        Raises OutOfRangeError.
        """
        address: Num = self.offset
        for d, (index, valid) in enumerate(zip(indices, self.valid, strict=True)):
            index = self._checked(index, valid, d, mask)
            stride = self.strides[d]
            address = address + (index if stride == 1 else index * stride)
        return address

    def _checked(self, index: Num, valid: Num, d: int, mask: Any) -> Num:
        if isinstance(index, np.integer):
            index = int(index)
        if isinstance(index, int) and isinstance(valid, int):
            if 0 <= index < valid:
                return index
            if mask is not None and not mask.any():
                return 0
            raise self._error(index, valid, d)
        if isinstance(index, np.ndarray) and index.dtype == np.int64:
            wrong = index.view(np.uint64) >= np.uint64(valid)
        else:
            wrong = np.logical_or(np.less(index, 0), np.greater_equal(index, valid))
        if wrong.any():
            guilty = wrong if mask is None else wrong & mask
            if guilty.any():
                raise self._error(*self._worst(index, valid, guilty), d)
            return np.where(wrong, 0, index)
        return index

    @staticmethod
    def _worst(index: Num, valid: Num, guilty: Array) -> tuple[int, int]:
        at = int(np.argmax(guilty))
        each = np.broadcast_to(index, guilty.shape).reshape(-1)
        limit = np.broadcast_to(valid, guilty.shape).reshape(-1)
        return int(each[at]), int(limit[at])

    def _error(self, index: int, valid: int, d: int) -> OutOfRangeError:
        name = self.buffer.name
        return OutOfRangeError(
            f"index {index} of '{name}' is out of range in dimension {d}: {valid} elements exist there"
        )


def whole(buffer: Buffer, slot: Num = 0, thread: Num = None) -> View:
    """A slot of a buffer, or a thread's own copy of it."""
    if thread is None and isinstance(slot, int):
        known: View | None = buffer.views.get(slot)
        if known is None:
            known = View(buffer, slot * buffer.slot_size, buffer.shape, dense(buffer.shape), buffer.shape, slot)
            buffer.views[slot] = known
        return known
    offset: Num = slot * buffer.slot_size
    if thread is not None:
        offset = thread * buffer.stride + offset
    return View(buffer, offset, buffer.shape, dense(buffer.shape), buffer.shape)


def cut(view: View, extents: Sequence[int], origins: Sequence[Num]) -> View:
    """A window of `extents` whose origin lies `origins` elements into the view; it may overhang."""
    offset = view.offset
    valid: list[Num] = []
    for d, (extent, origin) in enumerate(zip(extents, origins, strict=True)):
        if isinstance(origin, int) and origin < 0:
            raise OutOfRangeError(f"a view of '{view.buffer.name}' starts at {origin} in dimension {d}")
        offset = offset + origin * view.strides[d]
        valid.append(clamp(view.valid[d] - origin, 0, extent))
    return View(view.buffer, offset, tuple(extents), view.strides, tuple(valid), view.slot)


def strided(view: View, extents: Sequence[int], origins: Sequence[Num], strides: Sequence[int]) -> View:
    """`.view(e : q).from(o)`: element strides of its own; always counted as valid, `window` checks the memory."""
    offset = view.offset
    for origin, stride in zip(origins, strides, strict=True):
        offset = offset + origin * stride
    return View(view.buffer, offset, tuple(extents), tuple(strides), tuple(extents), view.slot)


def reshaped(view: View, extents: Sequence[int], mask: Any = None) -> View:
    """`.span_as`: the same elements under another shape; of rows that overhang, those of the new ones that exist.

    Raises OutOfRangeError for gaps, another count, and where what exists is not whole rows of the new shape. Threads
    off the mask are not checked.
    """
    name = view.buffer.name
    if prod(extents) != prod(view.shape):
        raise OutOfRangeError(
            f"span_as of '{name}' changes the number of elements: {prod(view.shape)} to {prod(extents)}"
        )
    gaps = any(
        length != 1 and stride != want
        for length, stride, want in zip(view.shape, view.strides, dense(view.shape), strict=True)
    )
    ends = [_has_all(valid, extent, mask) for valid, extent in zip(view.valid, view.shape, strict=True)]
    valid: tuple[Num, ...] = tuple(extents)
    if not all(ends):
        row, new = prod(view.shape[1:]), prod(extents[1:])
        gaps = gaps or not all(ends[1:]) or not new or row % new != 0
        valid = (view.valid[0] * (row // (new or 1)), *extents[1:])
    if gaps:
        raise OutOfRangeError(f"span_as of '{name}' needs a dense view that lies inside the buffer")
    return View(view.buffer, view.offset, tuple(extents), dense(extents), valid, view.slot)


def _has_all(valid: Num, extent: int, mask: Any) -> bool:
    """Whether all of an extent exists, for each thread that is active."""
    there = np.equal(valid, extent)
    return bool(there.all() if mask is None else (there | ~mask).all())


def squeezed(view: View) -> View:
    """`.sqz()`: without the dimensions of extent 1."""
    keep = [d for d, extent in enumerate(view.shape) if extent != 1]
    pick = [[part[d] for d in keep] for part in (view.shape, view.strides, view.valid)]
    return View(view.buffer, view.offset, tuple(pick[0]), tuple(pick[1]), tuple(pick[2]), view.slot)
