"""Pass rows: which instruction each multiply becomes, and how often it is issued along K (reference, 6.3).

M and N are never split: a tile has them from the instruction's own table.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.walk import rewrite
from croqc.targets.table import Feature
from croqc.text.record import replace


def rows(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    return replace(kernel, body=rewrite(kernel.body, lambda stmt: (_split(stmt, env),)))


def _split(stmt: ir.Stmt, env: Env) -> ir.Stmt:
    if not isinstance(stmt, ir.Multiply):
        return stmt
    if stmt.instruction != "wgmma" or not env.target.has(Feature.WGMMA):
        raise LoweringError(f"'{stmt.instruction}' is not lowered for {env.target.name} yet", stmt.span)
    if not (stmt.a_k_major and stmt.b_k_major):
        raise LoweringError("wgmma operands that are not K-major ('row.col', 'col.…') are not lowered yet", stmt.span)
    return replace(stmt, steps=stmt.k // stmt.k_step)
