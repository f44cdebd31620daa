"""The parts of buffers that views cut out, as expressions of a program. Must not know stages or roots."""

from __future__ import annotations

from croqc.flow.exprs import Expr, apply, const
from croqc.flow.lower_exprs import Exprs
from croqc.flow.lower_shapes import TILES, laid, reshaped
from croqc.flow.lower_views import Reference
from croqc.flow.regions import Extent, Laid
from croqc.sema.access import is_wild
from croqc.sema.model import ViewKind, ViewOp
from croqc.sema.symbolic import Int
from croqc.syntax import ast


class Parts:
    """Of one kernel."""

    def __init__(self, exprs: Exprs) -> None:
        self.exprs = exprs

    def row_major(self, subscripts: tuple[ast.Expr, ...], extents: tuple[int, ...]) -> Expr:
        number = const(0)
        for node, extent in zip(subscripts, extents, strict=True):
            number = apply("+", apply("*", number, const(extent)), self.exprs.of(node))
        return number

    def part(self, reference: Reference, shape: tuple[Int, ...]) -> tuple[Extent, ...]:
        """The extents along the buffer's dimensions; empty where that cannot be said."""
        rank = len(shape) or (len(reference.ops[0].shape) if reference.ops else len(reference.element or ()))
        extents = [Extent(const(0), self.exprs.of_int(size)) for size in shape] or [Extent(const(0), None)] * rank
        dims = list(range(rank))  # of the buffer, that the view still has
        for op in reference.ops:
            if op.kind is ViewKind.SPAN_AS and not self._keeps_shape(op, [extents[dim] for dim in dims]):
                return reshaped(reference.ops, self._element(reference), shape, self.low)
            if op.kind is ViewKind.SQUEEZE:
                dims = [dim for dim in dims if not _is_one(extents[dim])]
            if len(op.shape) != len(dims) or op.strides:
                return ()
            if op.kind in (ViewKind.SQUEEZE, ViewKind.SPAN_AS):
                continue
            if op.kind not in TILES:
                return ()
            for place, dim in enumerate(dims):
                low = self.low(op, place)
                before = extents[dim].low
                moved = None if low is None or before is None else apply("+", before, low)
                extents[dim] = Extent(moved, self.exprs.of_int(op.shape[place]))
        if reference.element is not None:
            if len(reference.element) != len(dims):
                return ()
            for dim, node in zip(dims, reference.element, strict=True):
                before = extents[dim].low
                extents[dim] = Extent(None if before is None else apply("+", before, self.exprs.of(node)), const(1))
        return tuple(extents)

    def laid(self, reference: Reference, shape: tuple[Int, ...]) -> Laid | None:
        """The part behind another shape of the buffer, for one that `part` cannot say."""
        return laid(reference.ops, self._element(reference), shape, self.low)

    def _element(self, reference: Reference) -> list[Expr] | None:
        return None if reference.element is None else [self.exprs.of(node) for node in reference.element]

    def _keeps_shape(self, op: ViewOp, extents: list[Extent]) -> bool:
        """Whether another shape is the same one."""
        wanted = [size.const for size in op.shape]
        return None not in wanted and wanted == [None if e.length is None else e.length.const for e in extents]

    def low(self, op: ViewOp, dim: int) -> Expr | None:
        """Where a tile begins, relative to what it is cut from."""
        rank = len(op.shape)
        if op.kind is ViewKind.CHUNKAT:
            places, factor = op.args, op.shape[dim]
        else:
            places, factor = op.at, op.shape[dim]
        if not places:
            return const(0)
        if len(places) != rank:
            return None
        if is_wild(places[dim]):
            return const(0)
        place = self.exprs.of(places[dim])
        if op.kind is ViewKind.WINDOW:
            return place
        if place.const == 0:
            return const(0)
        by = self.exprs.of_int(factor)
        if op.step:
            by = self.exprs.of(op.step[dim]) if len(op.step) == rank else None
        return None if by is None else apply("*", place, by)


def _is_one(extent: Extent) -> bool:
    return extent.length is not None and extent.length.const == 1


def covers(part: tuple[Extent, ...], shape: tuple[Int, ...]) -> bool:
    """Whether the extents are those of the whole shape."""
    if len(part) != len(shape):
        return False
    for extent, size in zip(part, shape, strict=True):
        whole = size.const
        if extent.low is None or extent.low.const != 0 or extent.length is None:
            return False
        if whole is None or extent.length.const != whole:
            return False
    return True


def is_multiple(low: Expr, rows: int) -> bool:
    """Whether a place is surely a multiple of the band."""
    if low.op == "k":
        return low.value % rows == 0
    if low.op == "*":
        return any(is_multiple(arg, rows) for arg in low.args)
    if low.op in ("+", "-"):
        return all(is_multiple(arg, rows) for arg in low.args)
    return False
