"""Moving boxes of elements between views (reference, 5.1 and 5.2). Must not know when a copy lands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from croqc.engines.sim.machine.dtypes import Array, convert
from croqc.engines.sim.machine.views import OutOfRangeError, View, cut


@dataclass(frozen=True, slots=True)
class Box:
    """How a copy maps its source to its destination.

    `order`: dst[i] = src[order_i] (transp). `low` and `pad`: the source lies at `low`, all else becomes `pad`.
    `zero_fill`: destination elements without a valid source element become 0, else they keep their value.
    """

    zero_fill: bool = False
    order: tuple[int, ...] | None = None
    low: tuple[int, ...] | None = None
    pad: Any = 0


def transposed(view: View, order: Sequence[int]) -> View:
    """The view with its dimensions permuted."""
    shape, strides, valid = ([part[d] for d in order] for part in (view.shape, view.strides, view.valid))
    return View(view.buffer, view.offset, tuple(shape), tuple(strides), tuple(valid), view.slot)


def move(source: View, dest: View, box: Box, mask: Array | None = None) -> None:
    """Copies the elements that exist on both sides. `mask`: the threads that take part, where views differ by thread.

    Raises OutOfRangeError where ranks differ or a view leaves its buffer.
    """
    if box.order is not None:
        source = transposed(source, box.order)
    if len(source.shape) != len(dest.shape):
        raise OutOfRangeError(f"a copy from rank {len(source.shape)} to rank {len(dest.shape)}")
    if box.low is not None:
        _fill(dest, box.pad, mask)
        dest = cut(dest, source.shape, box.low)
        box = replace(box, zero_fill=False)
    if source.uniform and dest.uniform:
        _move_window(source, dest, box)
    else:
        _move_threads(source, dest, box, mask)


def _move_window(source: View, dest: View, box: Box) -> None:
    extents = tuple(min(a, b) for a, b in zip(source.valid, dest.valid, strict=True))
    if box.zero_fill and extents != dest.valid:
        dest.window()[...] = dest.buffer.dtype.type(0)
    if 0 not in extents:
        dest.window(extents)[...] = convert(source.window(extents), dest.buffer.dtype)


def _move_threads(source: View, dest: View, box: Box, mask: Array | None) -> None:
    extents = tuple(min(a, b) for a, b in zip(source.shape, dest.shape, strict=True))
    if box.zero_fill:
        _fill(dest, dest.buffer.dtype.type(0), mask)
    if prod(extents) == 0:
        return
    (reads, readable), (writes, writable) = source.addresses(extents), dest.addresses(extents)
    covered = readable & writable
    if mask is not None:
        covered = covered & mask[:, None]
    values = source.buffer.flat.take(np.broadcast_to(reads, covered.shape)[covered])
    dest.buffer.flat[np.broadcast_to(writes, covered.shape)[covered]] = convert(values, dest.buffer.dtype)


def _fill(dest: View, value: Any, mask: Array | None) -> None:
    filler = convert(np.asarray(value), dest.buffer.dtype)
    if dest.uniform:
        dest.window()[...] = filler
        return
    writes, writable = dest.addresses(dest.shape)
    if mask is not None:
        writable = writable & mask[:, None]
    dest.buffer.flat[writes[writable]] = filler
