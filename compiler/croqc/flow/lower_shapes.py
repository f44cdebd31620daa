"""Views that give a buffer another shape (`span_as`), as parts in its own shape. Must not know stages or roots.

A part that lies in one piece is a number of elements from a place on, whatever the shape is; where that begins and ends
with a row of the buffer, it is a band of rows. Of other parts nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from croqc.flow.exprs import Expr, apply, const
from croqc.flow.regions import Extent, Laid
from croqc.sema.model import ViewKind, ViewOp
from croqc.sema.symbolic import Int

Low = Callable[[ViewOp, int], Expr | None]
TILES = (ViewKind.SUBSPAN, ViewKind.CHUNKAT, ViewKind.CHUNK, ViewKind.WINDOW)


def reshaped(
    ops: Sequence[ViewOp], element: Sequence[Expr] | None, shape: Sequence[Int], low: Low
) -> tuple[Extent, ...]:
    """The extents of what is left behind some views of a buffer of a `shape`; empty where that is no band of its rows.
    `low`: where a tile begins along a dimension."""
    piece, extents = _piece(ops, element, shape, low), _known(shape)
    found = None if piece is None else piece.lying()
    return () if found is None or extents is None else _rows(*found, extents)


def laid(ops: Sequence[ViewOp], element: Sequence[Expr] | None, shape: Sequence[Int], low: Low) -> Laid | None:
    """As `reshaped`, in the last shape that the views give the buffer; None where that is not followed."""
    piece = _piece(ops, element, shape, low)
    if piece is None:
        return None
    part = (Extent(low, const(length)) for low, length in zip(piece.lows, piece.lengths, strict=True))
    return Laid(piece.base, tuple(piece.shape), tuple(part))


def _piece(ops: Sequence[ViewOp], element: Sequence[Expr] | None, shape: Sequence[Int], low: Low) -> _Piece | None:
    extents = _known(shape)
    piece = None if extents is None else _Piece(extents)
    for op in ops:
        if piece is None or op.strides:
            return None
        piece = piece.behind(op, low)
    return piece.at(element) if piece is not None and element is not None else piece


@dataclass(slots=True)
class _Piece:
    """A box of what has the extents `shape` and begins at the element `base` of the buffer."""

    shape: Sequence[int]
    base: Expr = field(default_factory=lambda: const(0))
    lows: list[Expr] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lows = self.lows or [const(0)] * len(self.shape)
        self.lengths = self.lengths or list(self.shape)

    def behind(self, op: ViewOp, low: Low) -> _Piece | None:
        wanted = _known(op.shape)
        if wanted is None:
            return None
        if op.kind is ViewKind.SPAN_AS:
            found = self.lying()
            return _Piece(wanted, found[0]) if found is not None and found[1] == prod(wanted) else None
        if op.kind is ViewKind.SQUEEZE:
            kept = [dim for dim, length in enumerate(self.lengths) if length != 1]
            found = self.lying()
            return _Piece([self.lengths[dim] for dim in kept], found[0]) if found is not None else None
        if op.kind not in TILES or len(wanted) != len(self.shape):
            return None
        lows = [low(op, dim) for dim in range(len(wanted))]
        moved = [apply("+", before, each) for before, each in zip(self.lows, lows, strict=True) if each is not None]
        return _Piece(self.shape, self.base, moved, wanted) if len(moved) == len(lows) else None

    def at(self, element: Sequence[Expr]) -> _Piece | None:
        if len(element) != len(self.shape):
            return None
        lows = [apply("+", before, each) for before, each in zip(self.lows, element, strict=True)]
        return _Piece(self.shape, self.base, lows, [1] * len(lows))

    def lying(self) -> tuple[Expr, int] | None:
        """The first element and the number of elements, if they lie in one piece: behind the first dimension that is
        longer than one element all is whole."""
        apart = next((dim for dim, length in enumerate(self.lengths) if length != 1), len(self.lengths))
        if any(self.lengths[dim] != self.shape[dim] for dim in range(apart + 1, len(self.shape))):
            return None
        first = self.base
        for dim, low in enumerate(self.lows):
            first = apply("+", first, _times(low, prod(self.shape[dim + 1 :])))
        return first, prod(self.lengths)


def _known(shape: Sequence[Int]) -> list[int] | None:
    found = [size.const for size in shape if size.const is not None]
    return found if len(found) == len(shape) and found else None


def _times(value: Expr, factor: int) -> Expr:
    return value if factor == 1 else apply("*", value, const(factor))


def _rows(first: Expr, count: int, shape: Sequence[int]) -> tuple[Extent, ...]:
    row = prod(shape[1:])
    low = _divided(first, row)
    if low is None or count % row:
        return ()
    return Extent(low, const(count // row)), *(Extent(const(0), const(size)) for size in shape[1:])


def _divided(value: Expr, by: int) -> Expr | None:
    """A value that is surely a multiple, divided."""
    if by == 1:
        return value
    if value.const is not None:
        return const(value.const // by) if value.const % by == 0 else None
    if value.op in ("+", "-"):
        parts = [_divided(arg, by) for arg in value.args]
        return None if None in parts else apply(value.op, *(part for part in parts if part is not None))
    if value.op == "*":
        for arg, other in (value.args, value.args[::-1]):
            factor = arg.const
            if factor is not None and factor % by == 0:
                return _times(other, factor // by)
            if factor is not None and by % factor == 0 and (rest := _divided(other, by // factor)) is not None:
                return rest
    return None
