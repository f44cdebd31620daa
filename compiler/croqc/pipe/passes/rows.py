"""Pass rows: which instruction each multiply becomes, and how often it is issued along K (reference, 6.3).

M and N are never split: a tile has them from the instruction's own table.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.walk import Body, rewrite, with_bodies
from croqc.sema.model import Unit
from croqc.targets.table import Feature
from croqc.text.record import replace


def rows(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    body = rewrite(kernel.body, lambda stmt: (_split(stmt, env),))
    return replace(kernel, body=_fenced(body))


def _fenced(body: Body) -> Body:
    """A fence in front of every run of multiplies, outside the loops that consist of them."""
    found: list[ir.Stmt] = []
    running = False
    for stmt in body:
        if _is_run(stmt):
            if not running:
                found.append(ir.Fence(stmt.span))
            running = True
            found.append(stmt)
            continue
        running = running and isinstance(stmt, ir.Let)
        found.append(with_bodies(stmt, _fenced))
    return tuple(found)


def _is_run(stmt: ir.Stmt) -> bool:
    if isinstance(stmt, ir.Loop):
        inner = [each for each in stmt.body if not isinstance(each, ir.Let)]
        return bool(inner) and all(_is_run(each) for each in inner)
    return isinstance(stmt, ir.Multiply) and stmt.instruction == "wgmma"


def _split(stmt: ir.Stmt, env: Env) -> ir.Stmt:
    if not isinstance(stmt, ir.Multiply):
        return stmt
    split = stmt.instruction == "mma.sync" and stmt.acc.unit is Unit.GROUP4
    if not split and (stmt.instruction != "wgmma" or not env.target.has(Feature.WGMMA)):
        raise LoweringError(f"'{stmt.instruction}' is not lowered for {env.target.name} yet", stmt.span)
    if not (stmt.a_k_major and stmt.b_k_major):
        raise LoweringError("operands that are not K-major ('row.col', 'col.…') are not lowered yet", stmt.span)
    return replace(stmt, steps=stmt.k // stmt.k_step)
