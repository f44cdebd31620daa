"""Pass commits: the ends of groups of multiplies, where any may be open and only there.

Only wgmma and tcgen05 have groups. A read of an accumulator ends the group as `mma.commit` does (reference, 6.6), so
the builder puts an end in front of each. Behind another end it waits for nothing, and the assembler would serialise
the multiplies because of it.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.walk import Body, with_bodies
from croqc.text.record import replace


def commits(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    body, _ = _placed(kernel.body, False)
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
