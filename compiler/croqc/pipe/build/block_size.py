"""How many threads a block has whose levels hang on sizes of the launch (reference, 4.1). Must not place indices.

Levels inside each other multiply, up to the widest of them; `parallel`s beside each other divide the same block.
"""

from __future__ import annotations

from math import prod
from typing import Final

from croqc.pipe.build.context import Context
from croqc.pipe.build.tiles import static
from croqc.pipe.errors import LoweringError
from croqc.sema.level_chains import level_chains
from croqc.sema.masks import UNIT_THREADS, axis_extents
from croqc.syntax import ast

UNKNOWN_BOUND: Final = "a bound here is not known at the launch: use a size of a parameter, or a number"


def block_size(c: Context, kernel: ast.Parallel) -> int:
    """Raises LoweringError where `parallel`s beside each other give unlike sizes, SizesNeededError where one hangs on
    sizes that are still open."""
    found: dict[ast.Axis, int] = {}
    for chain in level_chains(kernel):
        levels = {axis: c.model.levels.get(axis) for axis in chain}
        widest = next((level for level in UNIT_THREADS if level in levels.values()), None)
        if widest is None:
            continue
        axes = [axis for axis, level in levels.items() if level is widest]
        found[axes[0]] = prod(_extent(c, axis) for axis in axes) * UNIT_THREADS[widest]
    sizes = list(found.items())
    for axis, threads in sizes[1:]:
        if threads != (first := sizes[0][1]):
            reason = f"{threads} threads here, {first} in the first 'parallel' of this block"
            raise LoweringError(f"{reason}: all inner levels of a kernel share one block size", axis.span)
    return sizes[0][1] if sizes else 1


def _extent(c: Context, axis: ast.Axis) -> int:
    extents = axis_extents(c.model, axis)
    if any(extent is None for extent in extents):
        raise LoweringError(UNKNOWN_BOUND, axis.span)
    return prod(static(c, tuple(extent for extent in extents if extent is not None), axis.span))
