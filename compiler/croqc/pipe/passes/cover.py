"""Pass cover: tiles that certainly lie inside their tensor lose their bounds.

`valid` of a tile comes from the language: it may overhang. Where the facts about the sizes say that the tensor's extent
is a multiple of the tile's and the tile starts at a multiple of it, nothing overhangs, and no guard is needed.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.exprs import Expr, Tile, integer
from croqc.pipe.facts import Facts
from croqc.pipe.tiles import map_tiles
from croqc.text.record import replace


def cover(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    return replace(kernel, body=map_tiles(kernel.body, lambda tile: _covered(tile, env.facts)))


def _covered(tile: Tile, facts: Facts) -> Tile:
    origin = tuple(facts.simplified(value) for value in tile.origin)
    tile = replace(tile, origin=origin, shape=tuple(facts.simplified(value) for value in tile.shape))
    valid: list[Expr | None] = []
    for dim, limit in enumerate(tile.valid):
        axis, extent = tile.dims[dim], integer(tile.shape[dim])
        pairs = ((extent or 0, tile.tensor.shape[axis]), (extent or 0, tile.origin[axis]))
        valid.append(None if limit is None or (extent and facts.divide(pairs)) else limit)
    return replace(tile, valid=tuple(valid))
