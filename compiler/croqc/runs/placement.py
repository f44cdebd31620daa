"""What the places of views ask of the sizes: indices, tiles and slots lie within their data. Must not choose sizes."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.runs.conditions import Constraint, divides, relation
from croqc.runs.reach import Limit, Reach, within
from croqc.sema.model import Model, View, ViewKind, ViewOp
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, BoundedTuple, Data, data_of
from croqc.syntax import ast

_ZERO, _ONE = Int.of(0), Int.of(1)
_TILES = (ViewKind.SUBSPAN, ViewKind.WINDOW, ViewKind.CHUNKAT, ViewKind.CHUNK)


def bounds_of(model: Model, args: tuple[ast.Expr, ...]) -> list[Int | None]:
    """The exclusive bound of each index among view arguments, tuples flattened; None where it has none."""
    found: list[Int | None] = []
    for arg in args:
        kind = model.types.get(arg)
        if isinstance(kind, BoundedTuple):
            found.extend(kind.bounds)
        elif _is_whole(arg):
            found.append(_ONE)
        else:
            plain = isinstance(arg, ast.Name) or (isinstance(arg, ast.Binary) and arg.op == "#")
            found.append(kind.bound if isinstance(kind, Bounded) and plain else None)
    return found


def _is_whole(arg: ast.Expr) -> bool:
    return isinstance(arg, ast.Name) and arg.id == "_"


def view_constraints(model: Model, view: View, reach: Reach) -> Iterator[Constraint]:
    """Whole chunks; no origin before its data or behind its end; no element outside."""
    data = data_of(view.base.type)
    if data is None:
        return
    yield from _slots(model, view, data, reach)
    reach = reach.running(*_tuple_limits(model, view, reach))
    extents = data.shape
    origins: list[Int | None] = [_ZERO] * len(extents)
    shape = extents
    for op in view.ops:
        if op.kind in (ViewKind.CHUNKAT, ViewKind.CHUNK):
            yield from _chunks(model, op, shape)
        if op.kind in _TILES and not op.strides:
            origins = [_sum(a, b) for a, b in zip(origins, _origins(model, op), strict=False)]
        else:
            yield from _inside(view, origins, extents, reach)
            extents, origins = op.shape, [_ZERO] * len(op.shape)
        shape = op.shape
    if view.element is not None:
        origins = [_sum(a, b) for a, b in zip(origins, _indices(model, view.element), strict=False)]
    yield from _inside(view, origins, extents, reach)


def _sum(a: Int | None, b: Int | None) -> Int | None:
    return None if a is None or b is None else a + b


def _inside(view: View, origins: list[Int | None], extents: tuple[Int, ...], reach: Reach) -> Iterator[Constraint]:
    for place, extent in zip(origins, extents, strict=False):
        if place is None or place.const == 0:
            continue
        found = within(place, extent, reach, f"{place} a place in {view.base.name}, which has {extent} there")
        if found is not None:
            yield found


def _indices(model: Model, args: tuple[ast.Expr, ...]) -> list[Int | None]:
    """The values of view arguments, tuples flattened; None where nothing is known."""
    found: list[Int | None] = []
    for arg in args:
        kind = model.types.get(arg)
        if _is_whole(arg):
            found.append(_ZERO)
        elif isinstance(kind, BoundedTuple) and len(kind.bounds) != 1:
            found.extend(Int.of(_item(arg, dim)) for dim in range(len(kind.bounds)))
        else:
            found.append(model.values.get(arg))
    return found


def _item(arg: ast.Expr, dim: int) -> str:
    """The name of an item of a tuple of indices, which has no value of its own in the model."""
    return f"{getattr(arg, 'id', 'index')}({dim})'{arg.span.start}"


def _tuple_limits(model: Model, view: View, reach: Reach) -> Iterator[Limit]:
    """The items of tuples of indices take all their values, except where a condition may speak of them."""
    args = [arg for op in view.ops for arg in (*op.args, *op.at)] + list(view.element or ())
    for arg in args:
        kind = model.types.get(arg)
        if isinstance(kind, BoundedTuple) and len(kind.bounds) != 1 and not reach.guarded:
            for dim, bound in enumerate(kind.bounds):
                yield Limit(_item(arg, dim), _ZERO, bound - _ONE)


def _origins(model: Model, op: ViewOp) -> list[Int | None]:
    """How far into the data an operation goes, in elements per dimension."""
    indices = _indices(model, op.args if op.kind is ViewKind.CHUNKAT else op.at)
    if not indices:
        return [_ZERO] * len(op.shape)
    if op.kind is ViewKind.WINDOW:
        return indices
    strides = [model.values.get(step) for step in op.step] if op.step else list(op.shape)
    return [
        None if index is None or stride is None else index * stride
        for index, stride in zip(indices, strides, strict=False)
    ]


def _slots(model: Model, view: View, data: Data, reach: Reach) -> Iterator[Constraint]:
    for index, count in zip(view.slots, data.array, strict=False):
        value = model.values.get(index)
        if value is not None:
            found = within(value, Int.of(count), reach, f"{value} one of the {count} buffers {view.base.name}")
            if found is not None:
                yield found


def _chunks(model: Model, op: ViewOp, shape: tuple[Int, ...]) -> Iterator[Constraint]:
    values = [model.values.get(arg) for arg in op.args] if op.kind is ViewKind.CHUNK else bounds_of(model, op.args)
    for extent, factor in zip(shape, values, strict=False):
        if factor is not None and factor != _ONE:
            yield divides(extent, factor, f"{extent} a multiple of {factor}")
            yield relation(extent, ">=", factor, f"{extent} at least {factor}")


def whole_tiles(view: View) -> Iterator[Constraint]:
    """The view never overhangs what it is cut from: its tiles divide the extents."""
    for extent, tile in overhangs(view):
        yield divides(extent, tile, f"{extent} a multiple of {tile}")


def overhangs(view: View) -> Iterator[tuple[Int, Int]]:
    """The extents that tiles of a view are cut from, with those of the tile, where one is no multiple of the other for
    some sizes."""
    data = data_of(view.base.type)
    shape = () if data is None else data.shape
    for op in view.ops:
        if op.kind in (ViewKind.SUBSPAN, ViewKind.WINDOW) and not op.strides and op.at:
            yield from ((extent, tile) for extent, tile in zip(shape, op.shape, strict=False) if extent != tile)
        shape = op.shape
