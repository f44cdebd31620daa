"""Tiles inside statements and expressions: replacing each, and who reads which. Must not decide anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from croqc.pipe import ir
from croqc.pipe.exprs import ONE, ZERO, Cast, Expr, Fn, Op, Read, Tensor, Tile, integer, multiply, parts, subtract
from croqc.pipe.walk import Body, rewrite
from croqc.pipe.wide import widened
from croqc.text.record import replace

Change = Callable[[Tile], Tile]


def map_tiles(body: Body, change: Change) -> Body:
    """Every tile that statements name, those inside expressions too, replaced."""
    return rewrite(body, lambda stmt: (_changed(stmt, change),))


def _changed(stmt: ir.Stmt, change: Change) -> ir.Stmt:
    changes: dict[str, Any] = {}
    for name in type(stmt).__match_args__:
        old = getattr(stmt, name)
        new = _value(old, change)
        if new is not old:
            changes[name] = new
    return replace(stmt, **changes) if changes else stmt


def _value(value: Any, change: Change) -> Any:
    match value:
        case Tile():
            return change(value)
        case Op() | Fn() | Cast() | Read():
            return _expr(value, change)
        case tuple() if value and not isinstance(value[0], ir.Stmt):
            new = tuple(_value(item, change) for item in value)
            return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    return value


def _expr(expr: Expr, change: Change) -> Expr:
    match expr:
        case Op(args=args) | Fn(args=args):
            new = tuple(_expr(arg, change) for arg in args)
            return expr if all(a is b for a, b in zip(new, args, strict=True)) else replace(expr, args=new)
        case Cast(value=value):
            inner = _expr(value, change)
            return expr if inner is value else replace(expr, value=inner)
        case Read(tile=tile, index=index):
            return replace(expr, tile=change(tile), index=tuple(_expr(item, change) for item in index))
    return expr


def tiles_in(stmt: ir.Stmt) -> tuple[Tile, ...]:
    """The tiles that a statement itself names."""
    found: list[Tile] = []

    def note(tile: Tile) -> Tile:
        found.append(tile)
        return tile

    _changed(stmt, note)
    return tuple(found)


def reads_of(stmt: ir.Stmt) -> Iterator[Tensor]:
    """The tensors whose elements a statement's own expressions read."""
    return (part.tile.tensor for part in _parts_of(stmt) if isinstance(part, Read))


def handed_on(stmt: ir.Stmt) -> Iterator[Tensor]:
    """The tensors whose address a statement gives to a device function, which may read and write all of them."""
    for part in _parts_of(stmt):
        match part:
            case Fn(name="&", args=(Read(tile=tile),)):
                yield tile.tensor


def _parts_of(stmt: ir.Stmt) -> Iterator[Expr]:
    """What a statement's own expressions are made of."""
    for name in type(stmt).__match_args__:
        value = getattr(stmt, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Op | Fn | Cast | Read):
                yield from parts(item)


def are_apart(one: Tile, other: Tile) -> bool:
    """Whether two tiles certainly have no element in common."""
    if one.tensor.name != other.tensor.name or _differ(one.slot, other.slot):
        return True
    if one.slot != other.slot or one.tensor.shape != other.tensor.shape:
        return False
    first, second = _reach(one), _reach(other)
    return any(a and b and (a[1] <= b[0] or b[1] <= a[0]) for a, b in zip(first, second, strict=True))


def _differ(one: Expr, other: Expr) -> bool:
    a, b = integer(one), integer(other)
    return a is not None and b is not None and a != b


def _reach(tile: Tile) -> list[tuple[int, int] | None]:
    """Where a tile begins and ends along each dimension of its tensor, where that is known."""
    extents: list[Expr] = [ONE] * len(tile.origin)
    for axis, extent, step in zip(tile.dims, tile.shape, tile.steps, strict=True):
        extents[axis] = multiply(extent, step)
    known = ((integer(start), integer(extent)) for start, extent in zip(tile.origin, extents, strict=True))
    return [None if start is None or extent is None else (start, start + extent) for start, extent in known]


def bound(limit: Expr, extent: Expr) -> Expr:
    """What an index that lies within a tile's extent has to stay below to exist: `rest` of
    `min(max(rest, 0), extent)`."""
    match limit:
        case Fn(name="__min", args=(Fn(name="__max", args=(rest, least)), most)) if least == ZERO and most == extent:
            return rest
    return limit


def ends_with_tensor(tile: Tile, dim: int) -> bool:
    """Whether a dimension of a tile ends, where it overhangs, with the tensor and not with a view of it."""
    limit, axis = tile.valid[dim], tile.dims[dim]
    rest = subtract(tile.tensor.shape[axis], tile.origin[axis])
    edge = Fn("__min", (Fn("__max", (rest, ZERO), "s32"), tile.shape[dim]), "s32")
    return limit in (None, rest, edge, widened(edge), Cast(widened(edge), "s32"))
