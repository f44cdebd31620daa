"""Scaled multiplies (reference, 6.7): what an element of the product is multiplied by. Must not place accumulators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.held import accumulator
from croqc.pipe.build.scalars import convert, value
from croqc.pipe.build.tiles import inside, tile
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Op, Read, Var
from croqc.sema.types import Data
from croqc.syntax import ast


def scale(c: Context, node: ast.Mma | ast.MmaScale, rows: ast.Expr, factor: ast.Expr) -> ir.Scale:
    """`c[m, n] += sum * rows[m] * factor`: of the multiply in front of it, or of all since the last scale."""
    acc, index = accumulator(c, node.acc)
    if not isinstance(c.model.types.get(rows), Data):
        raise LoweringError("this scale is one element: name the column of all rows, as 's.subspan(64, 1)'", rows.span)
    column = tile(c, rows)
    names = (c.names.fresh("i"), c.names.fresh("j"))
    first = Var(names[0])
    at: tuple[Expr, ...] = (first, ZERO) if column.extents != (1, acc.m) else (ZERO, first)
    both = (convert(Read(column, at), "f32"), convert(value(c, factor), "f32"))
    return ir.Scale(
        node.span,
        acc,
        index,
        names,
        c.names.fresh("r"),
        Op("*", both, "f32"),
        inside(column, at),
        isinstance(node, ast.Mma),
    )


def _scale(c: Context, node: ast.MmaScale) -> Built:
    return [scale(c, node, node.scale_a, node.scale_b)]


SCALES: dict[type, Callable[[Context, Any], Built]] = {ast.MmaScale: _scale}
