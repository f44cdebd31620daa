"""Pass cover: tiles that certainly lie inside their tensor lose their bounds.

`valid` of a tile comes from the language: it may overhang, or lie outside altogether (reference, 5.2). Where it is the
tensor's own end that it may pass, and not that of a view, two things together say that it does neither: by the facts
about the sizes, the tensor's extent and the tile's start are multiples of the tile's extent; and the index that the
start is made of ends where the tensor does, as that of a grid or a loop over all tiles.
"""

from __future__ import annotations

from collections.abc import Mapping

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.exprs import ZERO, Expr, Fn, Lit, Op, Tile, Var, integer
from croqc.pipe.facts import Facts
from croqc.pipe.tiles import bound, ends_with_tensor, map_tiles
from croqc.pipe.walk import rewrite, statements
from croqc.text.record import replace

Ends = Mapping[str, tuple[int, Expr]]  # by index: its first value, and what it stays below


def cover(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    """The kernel with bounds where they are needed. Names are unique in a kernel, and so are the ends of indices."""
    ends = {name: (0, extent) for name, extent in zip(kernel.grid_names, kernel.grid, strict=False)}
    ends |= {index.name: (0, Lit(index.bound)) for index in kernel.indices}
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Loop) and (first := integer(stmt.start)) is not None and (integer(stmt.step) or 0) > 0:
            ends[stmt.name] = (first, stmt.stop)
    body = map_tiles(kernel.body, lambda tile: _covered(tile, env.facts, ends))
    return replace(kernel, body=rewrite(body, lambda stmt: (_limited(stmt),)))


def _limited(stmt: ir.Stmt) -> ir.Stmt:
    """A store of an accumulator with what its rows and columns have to stay below."""
    if not isinstance(stmt, ir.StoreTile):
        return stmt
    rows, columns = (_limits(stmt, dim, size) for dim, size in enumerate((stmt.acc.m, stmt.acc.n)))
    return replace(stmt, row_limits=rows, column_limits=columns)


def _limits(stmt: ir.StoreTile, dim: int, size: int) -> tuple[Expr, ...]:
    """Of one dimension of the accumulator, `size` elements long: what is asked for, and what exists of its tile."""
    asked = stmt.limits[dim : dim + 1]
    at = len(stmt.dest.shape) - 1 - dim if stmt.transposed else dim
    limit, extent = stmt.dest.valid[at], stmt.dest.shape[at]
    lies_inside = (integer(extent) or 0) >= size
    if limit is not None:
        return (*asked, bound(limit, extent) if lies_inside else limit)
    return asked if lies_inside else (*asked, extent)


def _covered(tile: Tile, facts: Facts, ends: Ends) -> Tile:
    own = [limit is None or ends_with_tensor(tile, dim) for dim, limit in enumerate(tile.valid)]
    origin = tuple(facts.simplified(value) for value in tile.origin)
    tile = replace(tile, origin=origin, shape=tuple(facts.simplified(value) for value in tile.shape))
    valid: list[Expr | None] = []
    for dim, limit in enumerate(tile.valid):
        axis, extent = tile.dims[dim], integer(tile.shape[dim])
        whole, start = tile.tensor.shape[axis], tile.origin[axis]
        inside = limit is None or (extent and own[dim] and _ends_inside(start, extent, whole, ends))
        pairs = ((extent or 0, whole), (extent or 0, start))
        valid.append(None if limit is None or (inside and facts.divide(pairs)) else limit)
    return replace(tile, valid=tuple(valid))


def _ends_inside(start: Expr, extent: int, whole: Expr, ends: Ends) -> bool:
    """Whether a start is an index times the tile's extent, or 0, and the index stays below the number of tiles."""
    if start == ZERO:
        return True
    index = start
    if extent != 1:
        match start:
            case Op(op="*", args=(inner, Lit(value=factor))) if factor == extent:
                index = inner
            case _:
                return False
    match index:
        case Var(name=name):
            back = 0
        case Op(op="-", args=(Var(name=name), Lit(value=int(back)))):
            pass
        case _:
            return False
    first, end = ends.get(name, (-1, ZERO))
    return 0 <= back <= first and _counts_tiles(end, extent, whole)


def _counts_tiles(end: Expr, extent: int, whole: Expr) -> bool:
    """Whether `end` is, at most, the number of tiles that a tensor of `whole` elements begins."""
    known, most = integer(end), integer(whole)
    if known is not None and most is not None:
        return known * extent <= most
    tiles = (Fn("cdiv", (whole, Lit(extent)), "s32"), Op("/", (whole, Lit(extent))))
    return end in tiles or (extent == 1 and end == whole)
