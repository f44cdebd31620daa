"""Pass commits: the ends of groups of multiplies, where any may be open and only there.

Only wgmma and tcgen05 have groups. A read of an accumulator ends the group as `mma.commit` does (reference, 6.6), so
the builder puts an end in front of each. Behind another end it waits for nothing, and the assembler would serialise
the multiplies because of it. An accumulator that is declared in a loop has the registers of the turn before: multiplies
into it that this turn left open end in front of its values.

wgmma writes registers that the compiler takes for written at the instruction. Where ordinary code is the next to use
them, nothing of it may be moved in front of the end of the group: they settle.
"""

from __future__ import annotations

from operator import or_

from croqc.pipe import ir
from croqc.pipe.dataflow import Dataflow
from croqc.pipe.env import Env
from croqc.pipe.held import held_in
from croqc.pipe.walk import Body, statements
from croqc.text.record import replace


def commits(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    none = frozenset[ir.Accumulator]()
    body = Dataflow(_written_behind, or_, none).changed(kernel.body, none, _ended)
    body = Dataflow(_open_behind, or_, False).changed(body, False, _without_idle_ends)
    return replace(kernel, body=Dataflow(_loose_behind, or_, none).changed(body, none, _settled))


def _written_behind(stmt: ir.Stmt, following: Body, written: frozenset[ir.Accumulator]) -> frozenset[ir.Accumulator]:
    """The accumulators that multiplies in flight may write."""
    match stmt:
        case ir.Multiply() if stmt.instruction.is_async:
            return written | {stmt.acc}
        case ir.Commit(keep=0):
            return frozenset()
    return written


def _ended(stmt: ir.Stmt, following: Body, written: frozenset[ir.Accumulator]) -> Body:
    return (ir.Commit(stmt.span), stmt) if isinstance(stmt, ir.Fill) and stmt.acc in written else (stmt,)


def _open_behind(stmt: ir.Stmt, following: Body, is_open: bool) -> bool:
    """Whether a group may be open."""
    match stmt:
        case ir.Multiply():
            return is_open or stmt.instruction.is_async
        case ir.Commit(keep=keep):
            return is_open and keep > 0
    return is_open


def _without_idle_ends(stmt: ir.Stmt, following: Body, is_open: bool) -> Body:
    return () if isinstance(stmt, ir.Commit) and not is_open else (stmt,)


# --- registers that the hardware has written ---------------------------------------------------


def _loose_behind(stmt: ir.Stmt, following: Body, loose: frozenset[ir.Accumulator]) -> frozenset[ir.Accumulator]:
    """The tiles that multiplies have written since ordinary code last used them."""
    if isinstance(stmt, ir.Multiply):
        return loose | {stmt.acc} if stmt.instruction is ir.Instruction.WGMMA else loose
    used = _used(stmt)
    return frozenset(tile for tile in loose if tile.name not in used)


def _settled(stmt: ir.Stmt, following: Body, loose: frozenset[ir.Accumulator]) -> Body:
    used = _used(stmt)
    now = sorted((tile for tile in loose if tile.name in used), key=lambda tile: tile.name)
    return (*(ir.Settle(stmt.span, tile) for tile in now), stmt)


def _used(stmt: ir.Stmt) -> frozenset[str]:
    """The tiles whose elements ordinary code reads or writes in a statement; a store converts them."""
    match stmt:
        case ir.Visit():
            return frozenset(
                (stmt.acc.name, *(each.name for inner in statements(stmt.body) for each in held_in(inner)))
            )
        case ir.Reduce():
            return frozenset((stmt.acc.name, stmt.source.name))
        case ir.StoreTile():
            return frozenset((stmt.acc.name,))
    return frozenset()
