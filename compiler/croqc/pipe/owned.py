"""Which of a thread's rows and columns its elements of a tile are in (reference, 6.5). Must not know statements."""

from __future__ import annotations

from croqc.pipe.exprs import Expr, Lit, add, divide, modulo, multiply
from croqc.pipe.ir_declared import Accumulator
from croqc.sema.model import Unit


def row_entry(tile: Accumulator, r: Expr) -> Expr:
    """Of the thread's rows, that of its element `r`: eight rows apart, then blocks of sixteen."""
    inside = modulo(divide(r, Lit(2)), Lit(2))
    if tile.unit is Unit.GROUP4:
        return inside
    return add(multiply(divide(r, Lit(max(tile.n // 2, 1))), Lit(2)), inside)


def column_entry(tile: Accumulator, r: Expr) -> Expr:
    """Of the thread's columns, that of its element `r`: two side by side, then blocks of eight."""
    inside = modulo(r, Lit(max(tile.n // 2, 1)))
    return add(multiply(divide(inside, Lit(4)), Lit(2)), modulo(r, Lit(2)))
