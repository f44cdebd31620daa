"""Where boxes in one shape of a buffer lie among its elements, in row-major order. Must not know programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from croqc.flow.regions import Interval


def runs(box: Sequence[Interval], shape: Sequence[int]) -> Iterator[Interval]:
    """The stretches of elements, half-open, that a box of a `shape` lies in."""
    if any(low >= behind for low, behind in box):
        return
    cut = max((axis for axis, size in enumerate(shape) if box[axis] != (0, size)), default=0)
    below = prod(shape[cut + 1 :])
    for places in product(*(range(*axis) for axis in box[:cut])):
        first = 0
        for place, size in zip(places, shape[:cut], strict=True):
            first = first * size + place
        first *= prod(shape[cut : cut + 1])
        low, behind = box[cut] if box else (0, 1)
        yield (first + low) * below, (first + behind) * below
