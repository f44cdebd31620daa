"""Pass cover: tiles that certainly lie inside their tensor lose their bounds.

`valid` of a tile comes from the language: it may overhang. Where the facts about the sizes say that the tensor's extent
is a multiple of the tile's and the tile starts at a multiple of it, nothing overhangs, and no guard is needed.
The facts used are noted in `assumed`; the host checks them.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.exprs import Expr, Tile, Var, integer
from croqc.pipe.facts import Facts
from croqc.pipe.tiles import map_tiles
from croqc.text.record import replace


def cover(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    used: dict[str, int] = {}
    body = map_tiles(kernel.body, lambda tile: _covered(tile, env.facts, used))
    return replace(kernel, body=body, assumed=tuple(sorted(used.items())))


def _covered(tile: Tile, facts: Facts, used: dict[str, int]) -> Tile:
    origin = tuple(facts.simplified(value) for value in tile.origin)
    shape = tuple(facts.simplified(value) for value in tile.shape)
    for dim, (before, after) in enumerate(zip(tile.shape, shape, strict=True)):
        extent, whole = integer(after), tile.tensor.shape[tile.dims[dim]]
        if before != after and extent and isinstance(whole, Var):
            used[whole.name] = max(used.get(whole.name, 1), extent)
    tile = replace(tile, origin=origin, shape=shape)
    valid: list[Expr | None] = []
    for dim, limit in enumerate(tile.valid):
        axis, extent = tile.dims[dim], integer(tile.shape[dim])
        whole = tile.tensor.shape[axis]
        if limit is not None and extent and facts.divides(extent, whole) and facts.divides(extent, tile.origin[axis]):
            if isinstance(whole, Var):
                used[whole.name] = max(used.get(whole.name, 1), extent)
            limit = None
        valid.append(limit)
    return replace(tile, valid=tuple(valid))
