"""A 64-row multiply on the four warps of a warpgroup, as mma.sync: text of the instruction's function and of its use.

PTX ISA, mma: m16n8 with 32 bytes of K. A warp has 16 of the rows and all columns; its accumulator registers lie as
those of wgmma do, so that stores are the same.
"""

from __future__ import annotations

from croqc.codegen.places import Places
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Tile, add
from croqc.sema.elements import ELEMENTS

_TYPES = {"f16": "f16", "bf16": "bf16", "tf32": "tf32", "f32": "tf32", "f8_e4m3": "e4m3", "f8_e5m2": "e5m2",
          "s8": "s8", "u8": "u8"}  # fmt: skip
_REGISTER = {"f32": "float", "s32": "int", "f16": "u32"}


def function_name(stmt: ir.Multiply) -> str:
    return f"mma_m16n8k{_k(stmt)}_{stmt.acc.elem}_{_TYPES[stmt.a.tensor.elem]}_{_TYPES[stmt.b.tensor.elem]}"


def _k(stmt: ir.Multiply) -> int:
    return 256 // ELEMENTS[stmt.a.tensor.elem].bits


def function_text(stmt: ir.Multiply) -> list[str]:
    """`d += a x b` for 16 rows and 8 columns."""
    acc, a, b = stmt.acc.elem, _TYPES[stmt.a.tensor.elem], _TYPES[stmt.b.tensor.elem]
    kind, count = _REGISTER[acc], 2 if acc == "f16" else 4
    constraint = "f" if kind == "float" else "r"
    outs = ", ".join(f"%{number}" for number in range(count))
    ins = [f"%{count + number}" for number in range(6)]
    form = f"m16n8k{_k(stmt)}.row.col.{acc}.{a}.{b}.{acc}"
    outputs = ", ".join(f'"+{constraint}"(d[{number}])' for number in range(count))
    return [
        f"__device__ __forceinline__ void {function_name(stmt)}({kind}* d, const u32 (&a)[4], u32 b0, u32 b1) {{",
        f'  asm volatile("mma.sync.aligned.{form} {{{outs}}}, "',
        f'               "{{{", ".join(ins[:4])}}}, {{{", ".join(ins[4:])}}}, {{{outs}}};"',
        f"               : {outputs}",
        '               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));',
        "}",
    ]


def print_multiply(w: Writer, places: Places, stmt: ir.Multiply, registers: str, column: Expr) -> None:
    """One K step: the warp's rows of A once, the columns of B sixteen at a time."""
    name, per = function_name(stmt), 2 if stmt.acc.elem == "f16" else 4
    with w.block(""):
        w.line("u32 a[4];")
        w.line(f"load_a<{_shape(places, stmt.a)}>(a, {_at(places, stmt.a, column)});")
        w.line("#pragma unroll")
        with w.block(f"for (int n = 0; n < {stmt.n}; n += 16)"):
            w.line("u32 b[4];")
            w.line(f"load_b<{_shape(places, stmt.b)}>(b, {_at(places, stmt.b, column, ' + n')});")
            w.line(f"{name}({registers} + n / 8 * {per}, a, b[0], b[1]);")
            if stmt.n % 16:
                w.line(f"if (n + 8 < {stmt.n}) {name}({registers} + (n / 8 + 1) * {per}, a, b[2], b[3]);")
            else:
                w.line(f"{name}({registers} + (n / 8 + 1) * {per}, a, b[2], b[3]);")


def _shape(places: Places, tile: Tile) -> str:
    tensor = tile.tensor
    return f"{tensor.extents[0]}, {places.shared[tensor.name].swizzle}, {ELEMENTS[tensor.elem].bits // 8}"


def _at(places: Places, tile: Tile, column: Expr, more: str = "") -> str:
    row = places.spell(tile.origin[0])
    first = places.spell(add(tile.origin[-1], column))
    return f"{places.slot(tile.tensor, tile.slot)}, {row}{more}, {first}"
