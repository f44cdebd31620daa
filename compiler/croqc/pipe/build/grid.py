"""The blocks of a launch: how many, and in clusters of how many (reference, 4.1). Must not look inside blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from croqc.pipe.build.context import Context
from croqc.pipe.build.tiles import static
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Expr, Var
from croqc.sema.model import Level
from croqc.syntax import ast

_MOST = 8  # blocks of a cluster on every card that has them (CUDA C++ programming guide, thread block clusters)


def grid_of(c: Context, nodes: Sequence[ast.Parallel]) -> tuple[tuple[str, ...], tuple[Expr, ...]]:
    """The names of the block indices and their extents. `nodes`: a launch and the `parallel`s inside.

    Raises LoweringError for what is no single grid.
    """
    names: list[str] = []
    extents: list[Expr] = []
    for axis in _block_axes(c, nodes):
        first = len(names)
        for position, bound in enumerate(axis.bounds):
            known = c.model.values.get(bound)
            extents.append(c.integer(known, bound.span) if known is not None else c.expr(bound))
            names.append(_name(c, axis, position, "block"))
        name_tuple(c, axis, names[first:])
    return tuple(names), tuple(extents)


def cluster_of(c: Context, nodes: Sequence[ast.Parallel]) -> tuple[tuple[str, int], ...]:
    """The indices of a block in its cluster, with their extents; empty without clusters. Raises LoweringError."""
    found = tuple(_ranks(c, nodes))
    if prod(extent for _, extent in found) > _MOST:
        raise LoweringError(f"a cluster has up to {_MOST} blocks: use smaller bounds", nodes[0].span)
    return found


def name_tuple(c: Context, axis: ast.Axis, names: Sequence[str]) -> None:
    """What the tuple of an axis consists of, if it has one."""
    symbol = None if axis.tuple_name is None else c.model.uses.get(axis.tuple_name)
    if symbol is not None:
        c.tuples[symbol] = tuple(Var(name) for name in names)


def _block_axes(c: Context, nodes: Sequence[ast.Parallel]) -> list[ast.Axis]:
    """The axes that number the blocks: of the launch itself, or of a `parallel` of blocks in its clusters."""
    found: list[ast.Axis] = []
    for node in nodes:
        here = [axis for axis in node.axes if c.model.levels.get(axis) is Level.BLOCK]
        if found and here:
            raise LoweringError("several grids in one launch are not lowered: make them launches", node.span)
        found += here
        outer = [axis for axis in node.axes if c.model.levels.get(axis) in (Level.TERM, Level.DEVICE)]
        if outer:
            raise LoweringError("a launch is for one device: begin with a level of clusters or blocks", outer[0].span)
    return found


def _ranks(c: Context, nodes: Sequence[ast.Parallel]) -> Iterator[tuple[str, int]]:
    for axis in (axis for node in nodes for axis in node.axes if c.model.levels.get(axis) is Level.CLUSTER):
        bounds = [c.model.values.get(bound) for bound in axis.bounds]
        known = tuple(bound for bound in bounds if bound is not None)
        if axis.tuple_name is not None or len(known) < len(bounds):
            raise LoweringError(
                "a cluster has as many blocks in every launch: write 'parallel c by 2 : cluster'", axis.span
            )
        for position, extent in enumerate(static(c, known, axis.span)):
            yield _name(c, axis, position, "rank"), extent


def _name(c: Context, axis: ast.Axis, position: int, otherwise: str) -> str:
    symbol = c.model.uses.get(axis.names[position]) if position < len(axis.names) else None
    return c.name_of(symbol) if symbol is not None else c.names.fresh(otherwise)
