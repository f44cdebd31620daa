"""Pass completion: multiplies that are complete at their statements are waited for where somebody could tell.

So the language has them in the current dialect (reference, 6.6). Waiting at each would leave the tensor cores without
work until the next instruction. Whether a multiply is complete shows in three ways alone: ordinary code reads or sets
the accumulator, it overwrites an operand, or another path is told that it may overwrite one, by an arrival, a barrier
or the end of the region. So a run of multiplies, with loops of them and what only reads, is one group, which ends in
front of the first statement that could do any of this.

Must not move a wait that the source places itself (`mma.commit`, `wait f`), nor one past a multiply that nothing
completes: a kernel that gives a slot back too early has to be seen to do so.
"""

from __future__ import annotations

from itertools import pairwise

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.held import held_in
from croqc.pipe.mentioned import calls_foreign
from croqc.pipe.walk import Body, statements, with_bodies
from croqc.text.record import replace


def completion(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    return replace(kernel, body=_ended(kernel.body))


def _ended(body: Body) -> Body:
    """A list with the ends of its multiplies as late as may be: none moves into a list or out of it."""
    found: list[ir.Stmt] = []
    last: ir.Commit | None = None  # of the group that is open
    for stmt, behind in pairwise((*body, None)):
        assert stmt is not None
        if _is_quiet(stmt, behind):
            last = _last_end(stmt) or last
            found += _without_ends((stmt,))
            continue
        found += _end(last)
        last = None
        found.append(with_bodies(stmt, _ended))
    return (*found, *_end(last))


def _end(last: ir.Commit | None) -> Body:
    return () if last is None else (replace(last, movable=False),)


def _last_end(stmt: ir.Stmt) -> ir.Commit | None:
    *_, last = (None, *(each for each in statements((stmt,)) if isinstance(each, ir.Commit)))
    return last


def _without_ends(body: Body) -> Body:
    kept = (stmt for stmt in body if not isinstance(stmt, ir.Commit))
    return tuple(with_bodies(stmt, _without_ends) for stmt in kept)


def _is_quiet(stmt: ir.Stmt, behind: ir.Stmt | None) -> bool:
    """Whether a statement and those inside it write no memory, tell nobody anything, and leave accumulators alone;
    `behind`: the next one in its list."""
    inside = pairwise((*statements((stmt,)), behind))
    return not calls_foreign((stmt,)) and all(_is_quiet_itself(each, following) for each, following in inside)


def _is_quiet_itself(stmt: ir.Stmt | None, following: ir.Stmt | None) -> bool:
    match stmt:
        case ir.Multiply():
            by_itself = stmt.instruction.is_async and not (stmt.a_registers or stmt.b_registers)
            return by_itself and isinstance(following, ir.Commit) and following.movable
        case ir.Commit():
            return stmt.movable
        case ir.Let() | ir.Set() | ir.Loop():  # not ir.If: the assembler serialises groups that a branch is part of
            return not any(held_in(stmt))
    return isinstance(stmt, ir.Wait)  # it holds this path up alone
