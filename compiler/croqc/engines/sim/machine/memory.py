"""Buffers: typed memory with flat element addresses. Must not know views."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from croqc.engines.sim.machine.dtypes import Array, DType, poison


class Buffer:
    """Memory of one declaration: all slots of an array of buffers, or one copy a thread for local data.

    `flat` holds the elements, `raw` the same bytes. `shape` is one slot's shape, `array` the extents of the
    array of buffers. `threads`: of thread-private memory, the numbers of the threads that have a part; the part
    of the i-th of them starts at element i * `stride`. `views` is the views' cache. `filled`: by slot, the
    swizzle width in bytes with which its contents were last written.
    """

    __slots__ = (
        *("array", "dtype", "filled", "flat", "itemsize", "name", "raw", "shape"),
        *("slot_size", "stride", "threads", "views"),
    )

    def __init__(
        self, name: str, dtype: DType, shape: Sequence[int], array: Sequence[int] = (), threads: Array | None = None
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.itemsize = dtype.itemsize
        self.shape = tuple(shape)
        self.array = tuple(array)
        self.threads = threads
        self.views: dict[int, Any] = {}
        self.slot_size = prod(self.shape)
        self.stride = self.slot_size * prod(self.array)
        parts = 1 if threads is None else len(threads)
        self.raw: Array = np.zeros(self.stride * parts * self.itemsize, np.uint8)
        self.flat: Array = self.raw.view(dtype)
        self.filled: dict[int, int] = {}

    @classmethod
    def holding(cls, name: str, values: Array) -> Buffer:
        """A buffer with a copy of the values, dense row-major."""
        buffer = cls(name, values.dtype, values.shape)
        buffer.flat[:] = values.ravel()
        return buffer

    def poison(self) -> None:
        poison(self.flat)
        self.filled.clear()

    def values(self) -> Array:
        """The contents, shaped; not a copy."""
        return self.flat.reshape(self.shape)
