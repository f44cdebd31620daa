"""Pass commits: the ends of groups of multiplies, where any may be open and only there.

Only wgmma and tcgen05 have groups. A read of an accumulator ends the group as `mma.commit` does (reference, 6.6), so
the builder puts an end in front of each. Behind another end it waits for nothing, and the assembler would serialise
the multiplies because of it. An accumulator that is declared in a loop goes with its turn, and the next has its
registers: multiplies into it that a turn leaves open end with the turn or, where a jump leaves that out, in front of
the next values.

wgmma writes registers that the compiler takes for written at the instruction. Where ordinary code is the next to use
them, nothing of it may be moved in front of the end of the group: they settle.
"""

from __future__ import annotations

from operator import or_

from croqc.pipe import ir
from croqc.pipe.dataflow import Dataflow
from croqc.pipe.env import Env
from croqc.pipe.held import held_in
from croqc.pipe.walk import Body, flat, rewrite, statements
from croqc.text.record import replace


def commits(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    none = frozenset[ir.Accumulator]()
    body = rewrite(kernel.body, lambda stmt: (_ended_with_its_turns(stmt),))
    body = Dataflow(_written_behind, or_, none).changed(body, none, _ended)
    body = Dataflow(_open_behind, or_, False).changed(body, False, _without_idle_ends)
    return replace(kernel, body=Dataflow(_loose_behind, or_, none).changed(body, none, _settled))


def _ended_with_its_turns(stmt: ir.Stmt) -> ir.Stmt:
    if not isinstance(stmt, ir.Loop | ir.While):
        return stmt
    declared = {
        each.acc.name
        for each in flat(stmt.body)
        if isinstance(each, ir.Declare) or (isinstance(each, ir.Fill) and each.declares)
    }
    multiplies = (each for each in statements(stmt.body) if isinstance(each, ir.Multiply) and each.instruction.is_async)
    if declared.isdisjoint(each.acc.name for each in multiplies):
        return stmt
    return replace(stmt, body=(*stmt.body, ir.Commit(stmt.body[-1].span)))


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
    used = _used(stmt, following)
    left = frozenset(tile for tile in loose if tile.name not in used)
    return left | {stmt.acc} if isinstance(stmt, ir.Multiply) and stmt.instruction is ir.Instruction.WGMMA else left


def _settled(stmt: ir.Stmt, following: Body, loose: frozenset[ir.Accumulator]) -> Body:
    used = _used(stmt, following)
    now = sorted((tile for tile in loose if tile.name in used), key=lambda tile: tile.name)
    return (*(ir.Settle(stmt.span, tile) for tile in now), stmt)


def _used(stmt: ir.Stmt, following: Body = ()) -> frozenset[str]:
    """The tiles whose elements ordinary code reads or writes in a statement; a store converts them, and a multiply may
    be handed copies of the registers that it takes for A."""
    match stmt:
        case ir.Multiply():
            return frozenset((stmt.a_registers, stmt.b_registers))
        case ir.Fence():  # in front of the multiply that reads them: what moves registers stands before it
            return _used(following[0]) if following and isinstance(following[0], ir.Multiply) else frozenset()
        case ir.Visit():
            return frozenset(
                (stmt.acc.name, *(each.name for inner in statements(stmt.body) for each in held_in(inner)))
            )
        case ir.Reduce():
            return frozenset((stmt.acc.name, stmt.source.name))
        case ir.StoreTile():
            return frozenset((stmt.acc.name,))
        case ir.Text(words=words):  # an island may do with them what it likes
            return words
    return frozenset()
