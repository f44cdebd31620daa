"""Pass rows: what each multiply consists of (reference, 6.3).

Sema chose the instruction from the target's table; this pass says how often it is issued along K, refuses what no
emitter has, puts a fence in front of each run of multiplies, and ends the group of one that reads A from registers at
once. M and N stay whole: a tile has them from the instruction's own table.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Space, Tile, product
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
    """mma.sync takes 16 rows, 8 columns and 16 or 32 bytes of K. Of 8 rows and 8 columns it has bytes and f64; of more
    columns the operands change places. Elements of f64 go by four along K."""
    rows = 64 if stmt.acc.unit is Unit.GROUP4 else 8 if stmt.acc.turned or _is_square(stmt) else 16
    width = stmt.k_step * stmt.a.tensor.elem_bytes // (2 if stmt.metadata else 1)
    doubles = stmt.acc.elem == "f64"
    depths = (32, 64, 128) if doubles else (16, 32)
    if stmt.m % rows or stmt.n % 8 or width not in depths or stmt.acc.elem not in ("f16", "f32", "s32", "f64"):
        shape = f"{stmt.m}x{stmt.n}x{stmt.k_step}"
        reason = f"a multiply of {shape} into {stmt.acc.elem} is not lowered"
        way = "use 16 or 32 rows, a multiple of 8 columns, and 8 or 16 elements of 16 bits (or as many bytes) of K"
        raise LoweringError(f"{reason}: {way}, into f16, f32 or s32", stmt.span)
    if stmt.b_registers and not stmt.a_registers:
        raise LoweringError("B is in registers and A is not: load A by 'mma.load' too", stmt.span)


def _is_square(stmt: ir.Multiply) -> bool:
    """Whether an instruction has the shape itself (PTX ISA, mma: m8n8k16 of bytes, m8n8k4 of f64)."""
    return (stmt.m, stmt.n) == (8, 8) and (stmt.a.tensor.elem_bytes, stmt.k_step) in ((1, 16), (8, 4))


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
    if isinstance(stmt, ir.LoadFragment):
        return replace(stmt, by_words=_in_words(stmt, env.facts))
    if not isinstance(stmt, ir.Multiply):
        return stmt
    if stmt.metadata and stmt.instruction is ir.Instruction.TCGEN05:
        reason = "sparse multiplies of tcgen05 take their metadata from tensor memory"
        raise LoweringError(f"{reason}, which is not filled: use a dense multiply for {env.target.name}", stmt.span)
    if not env.target.has(stmt.instruction.feature):
        raise LoweringError(f"{env.target.name} has no {stmt.instruction}: choose a target that has it", stmt.span)
    if not stmt.instruction.is_async:
        _check_warps(stmt)
    for tile, held, k_major, extent, rows in (
        (stmt.a, stmt.a_registers, stmt.a_k_major, stmt.m, 64),
        (stmt.b, stmt.b_registers, stmt.b_k_major, stmt.n, 16),
    ):
        if held and tile.tensor.space is Space.LOCAL:
            _check_register_tile(stmt, tile, k_major, rows)
        elif not held:
            step = stmt.k_step // 2 if stmt.metadata and extent == stmt.m else stmt.k_step
            _check_operand(stmt, tile, k_major, step, env.facts)
            _check_panel(stmt, tile, k_major, extent, swizzles[tile.tensor.name], env.facts)
    return replace(stmt, steps=stmt.k // stmt.k_step)


def _in_words(stmt: ir.LoadFragment, facts: Facts) -> bool:
    """Whether the elements of a register, neighbours in K, are an aligned word of memory."""
    tensor = stmt.tile.tensor
    per = 4 // tensor.elem_bytes
    if not per:
        return False
    strides = (product(tensor.shape[dim:]) for dim in range(1, len(tensor.shape)))
    pairs = ((per, value) for value in (*strides, stmt.tile.origin[-1]))
    return stmt.k_major and stmt.tile.dims[-1] == len(tensor.shape) - 1 and (per == 1 or facts.divide(pairs))


def _check_register_tile(stmt: ir.Multiply, tile: Tile, k_major: bool, rows: int) -> None:
    """A tile of 16-bit elements lies as the left operand of its rows does, and as a right one of 16 rows (6.5)."""
    unit_rows = rows if stmt.acc.unit is Unit.GROUP4 else 16
    if not k_major or tile.tensor.elem_bytes != 2 or tile.tensor.extents[0] != unit_rows or stmt.metadata:
        shape = " x ".join(str(extent) for extent in tile.tensor.extents)
        reason = f"'{tile.tensor.name}' of {shape} {tile.tensor.elem} does not lie in registers as this operand does"
        raise LoweringError(f"{reason}: store it to shared memory and load it from there", stmt.span)


def _check_operand(stmt: ir.Multiply, tile: Tile, k_major: bool, step: int, facts: Facts) -> None:
    """Instructions read shared rows sixteen bytes at a time, the asynchronous ones in the swizzle's eight rows."""
    size, (row, column) = tile.tensor.elem_bytes, (tile.origin[0], tile.origin[-1])
    if not k_major and size != 2:
        reason = f"an operand of {tile.tensor.elem} is read along K alone"
        raise LoweringError(f"{reason}: store it as [N, K] (A as [M, K]) and write 'row.row'", stmt.span)
    by_warps = not stmt.instruction.is_async
    unit = 16 // size if by_warps or not k_major else step
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
