"""Shared tensors of more than two dimensions that are swizzled or multiplied: rows behind rows, as hardware has them.

A swizzle permutes the bytes of a buffer by their addresses (reference, 5.6): [3, 64, 64] lies as [192, 64] does. Tiles
of whole rows take part; the others keep their shape and serve elements. Must not decide how a tensor lies.
"""

from __future__ import annotations

from math import prod

from croqc.pipe import ir
from croqc.pipe.exprs import ONE, Lit, Tile, integer, multiply, total
from croqc.pipe.tiles import map_tiles
from croqc.pipe.walk import Body, rewrite, statements
from croqc.text.record import replace


def flattened(body: Body, shared: tuple[ir.Shared, ...]) -> tuple[Body, tuple[ir.Shared, ...]]:
    """The statements, and what is declared, with such tensors in two dimensions."""
    read = {
        tile.tensor.name
        for stmt in statements(body)
        if isinstance(stmt, ir.Multiply)
        for tile, held in ((stmt.a, stmt.a_registers), (stmt.b, stmt.b_registers))
        if not held
    }
    deep = {
        item.tensor.name: replace(item, tensor=replace(item.tensor, shape=_rows(item.tensor.extents)))
        for item in shared
        if len(item.tensor.shape) > 2 and (item.swizzle or item.tensor.name in read)
    }
    if not deep:
        return body, shared
    found = rewrite(
        body, lambda stmt: (_without_ones(stmt) if isinstance(stmt, ir.Copy) and _names(stmt) & deep.keys() else stmt,)
    )
    found = map_tiles(found, lambda tile: _flat(tile) if tile.tensor.name in deep else tile)
    return found, tuple(deep.get(item.tensor.name, item) for item in shared)


def _names(copy: ir.Copy) -> set[str]:
    return {copy.source.tensor.name, copy.dest.tensor.name}


def _without_ones(copy: ir.Copy) -> ir.Copy:
    """A copy without the dimensions in which both sides have one element: what is left may be rows and columns."""
    sides = copy.source, copy.dest
    if copy.form is not ir.Form.COPY or len({len(tile.shape) for tile in sides}) > 1:
        return copy
    last = len(copy.source.shape) - 1
    keep = [at for at in range(last + 1) if at >= last - 1 or any(tile.shape[at] != ONE for tile in sides)]
    if any(tile.valid[at] is not None for tile in sides for at in range(last + 1) if at not in keep):
        return copy
    source, dest = (_kept(tile, keep) for tile in sides)
    return replace(copy, source=source, dest=dest)


def _kept(tile: Tile, keep: list[int]) -> Tile:
    shape, dims, valid = (tuple(part[at] for at in keep) for part in (tile.shape, tile.dims, tile.valid))
    return replace(
        tile, shape=shape, dims=dims, valid=valid, scales=tuple(tile.scales[at] for at in keep if tile.scales)
    )


def _rows(extents: tuple[int, ...]) -> tuple[Lit, Lit]:
    return Lit(prod(extents[:-1])), Lit(extents[-1])


def _flat(tile: Tile) -> Tile:
    """A tile of two dimensions, rows and columns, of which the rows lie one behind the other; else itself."""
    last = len(tile.tensor.shape) - 1
    if len(tile.dims) != 2 or tile.dims[1] != last or tile.dims[0] == last or tile.scales:
        return tile
    axis = tile.dims[0]
    extents = tile.tensor.extents
    inner = extents[axis + 1 : last]
    if any(integer(at) != 0 for at in tile.origin[axis + 1 : last]) or any(extent != 1 for extent in inner):
        return tile
    steps = [Lit(prod(extents[dim + 1 : last])) for dim in range(last)]
    row = total(tuple(multiply(at, step) for at, step in zip(tile.origin[:last], steps, strict=True)))
    tensor = replace(tile.tensor, shape=_rows(extents))
    return replace(tile, tensor=tensor, origin=(row, tile.origin[last]), dims=(0, 1))
