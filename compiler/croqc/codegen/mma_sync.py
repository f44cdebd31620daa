"""Multiplies of warps, as mma.sync (PTX ISA, mma): the instruction's function, its operands and its use.

A warp has 16 rows and 8 columns a time, and 16 or 32 bytes of K. A warpgroup's 64 rows are its four warps'; their
accumulators lie as those of wgmma do, so that stores are the same.
"""

from __future__ import annotations

from croqc.codegen.places import Places
from croqc.codegen.registers import OPERANDS, register_type
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import ZERO, Expr, Lit, Tile, Var, add
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import THREADS, Unit


def function_name(stmt: ir.Multiply) -> str:
    a, b = OPERANDS[stmt.a.tensor.elem], OPERANDS[stmt.b.tensor.elem]
    return f"mma_m16n8k{stmt.k_step}_{stmt.acc.elem}_{a}_{b}"


def _halves(stmt: ir.Multiply) -> int:
    """Pieces of 16 bytes that one instruction takes along K."""
    return stmt.k_step * ELEMENTS[stmt.a.tensor.elem].bits // 128


def function_text(stmt: ir.Multiply) -> list[str]:
    """`d += a x b` for 16 rows and 8 columns."""
    acc, a, b = stmt.acc.elem, OPERANDS[stmt.a.tensor.elem], OPERANDS[stmt.b.tensor.elem]
    kind, count, halves = register_type(stmt.acc), 2 if acc == "f16" else 4, _halves(stmt)
    constraint = "f" if kind == "float" else "r"
    outs = ", ".join(f"%{number}" for number in range(count))
    names = [f"a{number}" for number in range(2 * halves)], [f"b{number}" for number in range(halves)]
    ins = [f"%{count + number}" for number in range(3 * halves)]
    form = f"m16n8k{stmt.k_step}.row.col.{acc}.{a}.{b}.{acc}"
    outputs = ", ".join(f'"+{constraint}"(d[{number}])' for number in range(count))
    inputs = ", ".join(f'"r"({name})' for name in (*names[0], *names[1]))
    params = ", ".join(f"u32 {name}" for name in (*names[0], *names[1]))
    return [
        f"__device__ __forceinline__ void {function_name(stmt)}({kind}* d, {params}) {{",
        f'  asm volatile("mma.sync.aligned.{form} {{{outs}}}, "',
        f'               "{{{", ".join(ins[: 2 * halves])}}}, {{{", ".join(ins[2 * halves :])}}}, {{{outs}}};"',
        f"               : {outputs}",
        f"               : {inputs});",
        "}",
    ]


# --- operands from shared memory ---------------------------------------------------------------


def print_split(w: Writer, places: Places, stmt: ir.Multiply, registers: str, column: Expr) -> None:
    """One K step of a warpgroup's multiply: a warp's rows of A once, the columns of B sixteen at a time."""
    name, per = function_name(stmt), 2 if stmt.acc.elem == "f16" else 4
    a, b, n = (places.own(wish) for wish in ("a", "b", "n"))
    left = ", ".join(f"{a}[{number}]" for number in range(4))
    with w.block(""):
        w.line(f"u32 {a}[4];")
        load_a = "load_a" if stmt.a_k_major else "load_a_mn"
        w.line(f"{load_a}<{_shape(places, stmt.a)}>({a}, {_at(places, stmt.a, ZERO, column, stmt.a_k_major)});")
        w.line("#pragma unroll")
        with w.block(f"for (int {n} = 0; {n} < {stmt.n}; {n} += 16)"):
            w.line(f"u32 {b}[4];")
            load_b = "load_b" if stmt.b_k_major else "load_b_mn"
            more = f", {n} + 8 < {stmt.n} ? 8 : 0" if stmt.n % 16 else ""
            at = _at(places, stmt.b, Var(n), column, stmt.b_k_major)
            w.line(f"{load_b}<{_shape(places, stmt.b)}>({b}, {at}{more});")
            w.line(f"{name}({registers} + {n} / 8 * {per}, {left}, {b}[0], {b}[1]);")
            guard = f"if ({n} + 8 < {stmt.n}) " if stmt.n % 16 else ""
            w.line(f"{guard}{name}({registers} + ({n} / 8 + 1) * {per}, {left}, {b}[2], {b}[3]);")


def _shape(places: Places, tile: Tile) -> str:
    tensor = tile.tensor
    return f"{tensor.extents[0]}, {places.shared[tensor.name].swizzle}, {tensor.elem_bytes}"


def _at(places: Places, tile: Tile, along: Expr, depth: Expr, k_major: bool) -> str:
    """`along` in M or N, `depth` in K."""
    row, column = (along, depth) if k_major else (depth, along)
    at = (places.spell(add(start, more)) for start, more in ((tile.origin[0], row), (tile.origin[-1], column)))
    return f"{places.slot(tile.tensor, tile.slot)}, {', '.join(at)}"


# --- operands in registers ---------------------------------------------------------------------


def print_load(w: Writer, places: Places, stmt: ir.LoadFragment) -> None:
    """Four bytes a register: block i of 8 rows and block j of 16 bytes along K is register `j * rows / 8 + i`."""
    size = stmt.tile.tensor.elem_bytes
    rows = stmt.rows // 4 if stmt.unit is Unit.GROUP4 else stmt.rows
    blocks, pieces = rows // 8, stmt.k * size // 16
    if stmt.declares:
        w.line(f"u32 {stmt.name}[{blocks * pieces}];  // {stmt.rows} x {stmt.k} {stmt.tile.tensor.elem}")
    first = f"threadIdx.x % {THREADS[Unit.GROUP4]} / {THREADS[Unit.GROUP]} * 16 + " if stmt.unit is Unit.GROUP4 else ""
    i, j = places.own("i"), places.own("j")
    row, k = Var(f"({first}operand_row({i}))"), Var(f"operand_byte({j}) / {size}" if size > 1 else f"operand_byte({j})")
    w.line("#pragma unroll")
    with w.block(f"for (int {j} = 0; {j} < {pieces}; ++{j})"):
        w.line("#pragma unroll")
        target = f"{stmt.name}[{j} * {blocks} + {i}]"
        w.line(f"for (int {i} = 0; {i} < {blocks}; ++{i})")
        with w.indented():
            if stmt.k_major:
                w.line(f"{target} = *reinterpret_cast<const u32*>(&{places.element(stmt.tile, (row, k))});")
            else:
                ends = [places.element(stmt.tile, (add(k, Lit(more)), row)) for more in (0, 1)]
                w.line(f"{target} = pack_bits({ends[0]}, {ends[1]});")


def print_warp(w: Writer, places: Places, stmt: ir.Multiply, registers: str, step: str) -> None:
    """One K step of a warp's multiply, its operands in fragments; `step` is its number, empty for the only one."""
    name, per, halves = function_name(stmt), 2 if stmt.acc.elem == "f16" else 4, _halves(stmt)
    rows, columns = stmt.m // 8, stmt.n // 8
    m, n = places.own("m"), places.own("n")
    w.line("#pragma unroll")
    with w.block(f"for (int {m} = 0; {m} < {stmt.m // 16}; ++{m})"):
        w.line("#pragma unroll")
        w.line(f"for (int {n} = 0; {n} < {columns}; ++{n})")
        pieces = [f"({step} * {halves} + {half})" if step else str(half) for half in range(halves)]
        a = [f"{stmt.a_registers}[{piece} * {rows} + 2 * {m} + {side}]" for piece in pieces for side in (0, 1)]
        b = [f"{stmt.b_registers}[{piece} * {columns} + {n}]" for piece in pieces]
        with w.indented():
            w.line(f"{name}({registers} + ({m} * {columns} + {n}) * {per}, {', '.join((*a, *b))});")
