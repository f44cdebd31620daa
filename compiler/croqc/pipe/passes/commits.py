"""Pass commits: the ends of groups of multiplies, where any may be open and only there.

Only wgmma and tcgen05 have groups. A read of an accumulator ends the group as `mma.commit` does (reference, 6.6), so
the builder puts an end in front of each. Behind another end it waits for nothing, and the assembler would serialise
the multiplies because of it.

wgmma writes registers that the compiler takes for written at the instruction. Where ordinary code is the next to use
them, nothing of it may be moved in front of the end of the group: they settle.
"""

from __future__ import annotations

from functools import partial

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.held import held_in
from croqc.pipe.walk import Body, bodies, statements, with_bodies
from croqc.text.record import replace


def commits(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    body, _ = _placed(kernel.body, False)
    body, _ = _settled(body, frozenset())
    return replace(kernel, body=body)


def _placed(body: Body, is_open: bool) -> tuple[Body, bool]:
    """The statements without ends that end nothing, and whether a group may be open behind them."""
    found: list[ir.Stmt] = []
    for stmt in body:
        if isinstance(stmt, ir.Commit) and not is_open:
            continue
        after = _open_after(stmt, is_open)
        before = after or is_open if isinstance(stmt, ir.Loop | ir.While) else is_open
        found.append(_inside(stmt, before))
        is_open = after
    return tuple(found), is_open


def _open_after(stmt: ir.Stmt, is_open: bool) -> bool:
    match stmt:
        case ir.Multiply():
            return is_open or stmt.instruction.is_async
        case ir.Commit(keep=keep):
            return keep > 0
        case ir.If(then=then, other=other):
            return _placed(then, is_open)[1] or _placed(other, is_open)[1]
        case ir.Loop(body=body) | ir.While(body=body):
            return is_open or _placed(body, is_open)[1]
        case ir.Scope(body=body) | ir.Role(body=body):
            return _placed(body, is_open)[1]
    return is_open


def _inside(stmt: ir.Stmt, is_open: bool) -> ir.Stmt:
    """`is_open` where the statements inside begin: in a loop that is also what another turn left."""
    return with_bodies(stmt, lambda body: _placed(body, is_open)[0])


# --- registers that the hardware has written ---------------------------------------------------


def _settled(body: Body, loose: frozenset[ir.Accumulator]) -> tuple[Body, frozenset[ir.Accumulator]]:
    """The statements with `Settle` where ordinary code uses a tile that multiplies have written since it last did;
    `loose`: the tiles of which that holds, in front of them and behind."""
    found: list[ir.Stmt] = []
    for stmt in body:
        used = _used(stmt)
        now = tuple(tile for tile in sorted(loose, key=lambda tile: tile.name) if tile.name in used)
        found += (ir.Settle(stmt.span, tile) for tile in now)
        after = _loose_after(stmt, loose - frozenset(now))
        before = loose | after if isinstance(stmt, ir.Loop | ir.While) else loose
        found.append(with_bodies(stmt, partial(_inside_settled, loose=before)))
        loose = after
    return tuple(found), loose


def _inside_settled(body: Body, loose: frozenset[ir.Accumulator]) -> Body:
    return _settled(body, loose)[0]


def _loose_after(stmt: ir.Stmt, loose: frozenset[ir.Accumulator]) -> frozenset[ir.Accumulator]:
    if isinstance(stmt, ir.Multiply):
        return loose | {stmt.acc} if stmt.instruction == "wgmma" else loose
    ends = [_settled(inner, loose)[1] for inner in bodies(stmt)]
    if isinstance(stmt, ir.Loop | ir.While):
        ends.append(loose)
    return frozenset().union(*ends) if ends else loose


def _used(stmt: ir.Stmt) -> frozenset[str]:
    """The tiles that ordinary code on elements reads or writes in a statement."""
    match stmt:
        case ir.Visit():
            return frozenset(
                (stmt.acc.name, *(each.name for inner in statements(stmt.body) for each in held_in(inner)))
            )
        case ir.Reduce():
            return frozenset((stmt.acc.name, stmt.source.name))
    return frozenset()
