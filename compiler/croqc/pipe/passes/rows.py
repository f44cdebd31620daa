"""Pass rows: what each multiply consists of (reference, 6.3).

Sema chose the instruction from the target's table; this pass says how often it is issued along K, refuses what no
emitter has, puts a fence in front of each run of multiplies, and ends the group of one that reads A from registers at
once. M and N are never split: a tile has them from the instruction's own table.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Tile
from croqc.pipe.facts import Facts
from croqc.pipe.walk import Body, rewrite, statements, with_bodies
from croqc.sema.model import Unit
from croqc.text.record import replace


def rows(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    swizzles = {item.tensor.name: item.swizzle for item in kernel.shared}
    body = rewrite(kernel.body, lambda stmt: _with_end(_split(stmt, env, swizzles)))
    return replace(kernel, body=_fenced(body))


def _with_end(stmt: ir.Stmt) -> Body:
    """wgmma reads A's registers until its group ends: they are loaded anew in the next turn, so it ends at once."""
    if isinstance(stmt, ir.Multiply) and stmt.instruction is ir.Instruction.WGMMA and stmt.a_registers:
        return stmt, ir.Commit(stmt.span)
    return (stmt,)


def _check_warps(stmt: ir.Multiply) -> None:
    """mma.sync takes 16 rows, 8 columns and 16 or 32 bytes of K; the rest of the tables has no such split."""
    rows = 64 if stmt.acc.unit is Unit.GROUP4 else 16
    width = stmt.k_step * stmt.a.tensor.elem_bytes
    if stmt.m % rows or stmt.n % 8 or width not in (16, 32) or stmt.acc.elem not in ("f16", "f32", "s32"):
        shape = f"{stmt.m}x{stmt.n}x{stmt.k_step}"
        raise LoweringError(f"a multiply of {shape} into {stmt.acc.elem} on one warp is not lowered yet", stmt.span)
    if bool(stmt.a_registers) != bool(stmt.b_registers):
        raise LoweringError("one operand in registers and one in shared memory: only wgmma takes that", stmt.span)


def _fenced(body: Body) -> Body:
    """A fence in front of every run of multiplies, outside the loops that consist of them."""
    found: list[ir.Stmt] = []
    running = False
    for stmt in body:
        if _is_run(stmt):
            if not running:
                found.append(ir.Fence(stmt.span, _fencing(stmt)))
            running = True
            found.append(stmt)
            continue
        running = running and isinstance(stmt, ir.Let)
        found.append(with_bodies(stmt, _fenced))
    return tuple(found)


def _fencing(run: ir.Stmt) -> ir.Fencing:
    first = next(each for each in statements((run,)) if isinstance(each, ir.Multiply))
    return ir.Fencing.WGMMA if first.instruction is ir.Instruction.WGMMA else ir.Fencing.AFTER


def _is_run(stmt: ir.Stmt) -> bool:
    if isinstance(stmt, ir.Loop):
        inner = [each for each in stmt.body if not isinstance(each, ir.Let)]
        return bool(inner) and all(_is_run(each) for each in inner)
    return isinstance(stmt, ir.Multiply) and stmt.instruction.is_async


def _split(stmt: ir.Stmt, env: Env, swizzles: dict[str, int]) -> ir.Stmt:
    if not isinstance(stmt, ir.Multiply):
        return stmt
    if not env.target.has(stmt.instruction.feature):
        raise LoweringError(f"'{stmt.instruction}' is not lowered for {env.target.name} yet", stmt.span)
    if not stmt.instruction.is_async:
        _check_warps(stmt)
    for tile, held, k_major, extent in (
        (stmt.a, stmt.a_registers, stmt.a_k_major, stmt.m),
        (stmt.b, stmt.b_registers, stmt.b_k_major, stmt.n),
    ):
        if not held:
            _check_operand(stmt, tile, k_major, env.facts)
            _check_panel(stmt, tile, k_major, extent, swizzles[tile.tensor.name], env.facts)
    return replace(stmt, steps=stmt.k // stmt.k_step)


def _check_operand(stmt: ir.Multiply, tile: Tile, k_major: bool, facts: Facts) -> None:
    """Instructions read shared rows sixteen bytes at a time, the asynchronous ones in the swizzle's eight rows."""
    size, (row, column) = tile.tensor.elem_bytes, (tile.origin[0], tile.origin[-1])
    if not k_major and size != 2:
        reason = f"an operand of {tile.tensor.elem} is read along K alone"
        raise LoweringError(f"{reason}: store it as [N, K] (A as [M, K]) and write 'row.row'", stmt.span)
    by_warps = not stmt.instruction.is_async
    unit = 16 // size if by_warps or not k_major else stmt.k_step
    if not facts.divides(unit, column) or not (by_warps or facts.divides(8, row)):
        rows_too = "" if by_warps else "a multiple of 8 rows and "
        reason = f"the operand in '{tile.tensor.name}' has to start at {rows_too}a multiple of {unit} columns"
        raise LoweringError(f"{reason}, and nothing says that it does: use whole tiles ('.at', '.chunkat')", stmt.span)


def _check_panel(stmt: ir.Multiply, tile: Tile, k_major: bool, extent: int, swizzle: int, facts: Facts) -> None:
    """A descriptor counts whole column groups: a narrower operand lies in one of them."""
    panel = swizzle // 2
    if k_major or not stmt.instruction.is_async:
        return
    if panel % min(extent, panel) or not facts.divides(min(extent, panel), tile.origin[-1]):
        reason = f"{extent} columns of '{tile.tensor.name}' from here reach over its groups of {panel}"
        raise LoweringError(f"{reason} columns: start at a multiple of {panel}, or use '.swiz<32>'", stmt.span)
