"""Multiplies of warpgroups in pieces along N, where a thread has too few registers for one instruction.

The assembler takes a wgmma only where its accumulator and some registers more fit into what each thread has when the
kernel begins, whatever `setmaxnreg` gives later (ptxas, C7602). Columns are independent of each other, so narrower ones
side by side do the same. Must not decide how many registers there are.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit, Tile, add
from croqc.pipe.walk import Body, rewrite
from croqc.text.record import replace

BESIDE = 26
"""Registers that ptxas wants beside the accumulator of a wgmma: it names the sum where there are fewer."""
_WIDTHS = (128, 64, 32, 16)  # each type has instructions of these, and of what they leave of its own (reference, 6.3)


def in_pieces(kernel: ir.Kernel, registers: int) -> ir.Kernel:
    """The kernel with multiplies that fit into so many registers of a thread.

    Raises LoweringError where none does.
    """

    def change(stmt: ir.Stmt) -> Body:
        wgmma = isinstance(stmt, ir.Multiply) and stmt.instruction is ir.Instruction.WGMMA
        return _pieces(stmt, registers) if wgmma and isinstance(stmt, ir.Multiply) else (stmt,)

    return replace(kernel, body=rewrite(kernel.body, change))


def _pieces(stmt: ir.Multiply, registers: int) -> Body:
    beside = BESIDE + 4 * bool(stmt.a_registers) + 2 * bool(stmt.metadata)  # A of one step; where its elements stand
    needed = stmt.acc.registers + beside
    if needed <= registers:
        return (stmt,)
    each = stmt.acc.registers * 16 // stmt.n  # of 16 columns
    width = next((width for width in _WIDTHS if each * width // 16 + beside <= registers), None)
    if width is None:
        reason = f"a multiply of {stmt.m}x{stmt.n} takes {needed} registers of a thread"
        raise LoweringError(f"{reason}, and the launch leaves it {registers}: fewer threads, or no limit", stmt.span)
    return tuple(_piece(stmt, first, min(width, stmt.n - first)) for first in range(0, stmt.n, width))


def _piece(stmt: ir.Multiply, first: int, columns: int) -> ir.Multiply:
    return replace(stmt, n=columns, first=first, b=_part(stmt.b, 0 if stmt.b_k_major else -1, first, columns))


def _part(tile: Tile, side: int, first: int, count: int) -> Tile:
    """Some of a tile's rows (`side` 0) or columns (-1)."""
    origin, shape = list(tile.origin), list(tile.shape)
    origin[side], shape[side] = add(origin[side], Lit(first)), Lit(count)
    return replace(tile, origin=tuple(origin), shape=tuple(shape))
