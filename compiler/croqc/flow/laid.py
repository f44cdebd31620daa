"""Boxes in one shape of a buffer as boxes in another: elements lie in row-major order. Must not know programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod

from croqc.flow.regions import Interval

Box = tuple[Interval, ...]
"""Half-open ranges along the dimensions of a slot."""


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


def boxes_of(low: int, behind: int, shape: Sequence[int]) -> Iterator[Box]:
    """A stretch of elements as boxes of a `shape`, ascending."""
    if low >= behind:
        return
    if len(shape) < 2:
        yield ((low, behind),) if shape else ()
        return
    row = prod(shape[1:])
    first, last = -(-low // row), behind // row
    if first > last:  # all within one row
        yield from _in_row(low // row, low % row, behind - low // row * row, shape)
        return
    yield from _in_row(first - 1, low - (first - 1) * row, row, shape) if low % row else ()
    if first < last:
        yield (first, last), *((0, size) for size in shape[1:])
    yield from _in_row(last, 0, behind % row, shape)


def _in_row(row: int, low: int, behind: int, shape: Sequence[int]) -> Iterator[Box]:
    for box in boxes_of(low, behind, shape[1:]):
        yield (row, row + 1), *box


def joined(boxes: Iterable[Box]) -> list[Box]:
    """The same elements in fewer boxes: those that differ along one axis alone, and meet there, are one."""
    found, before = sorted(set(boxes)), 0
    while len(found) != before:
        before = len(found)
        for axis in range(len(found[0]) if found else 0):
            beside: defaultdict[Box, list[tuple[int, int]]] = defaultdict(list)
            for box in found:
                beside[box[:axis] + box[axis + 1 :]].append(box[axis])
            found = [(*rest[:axis], side, *rest[axis:]) for rest, sides in beside.items() for side in _united(sides)]
    return sorted(found)


def _united(sides: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for low, behind in sorted(sides):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], behind))
        else:
            found.append((low, behind))
    return found
