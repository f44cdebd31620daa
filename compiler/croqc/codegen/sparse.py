"""Metadata of sparse multiplies in registers (PTX ISA, mma.sp, sparse matrix storage). Must not choose instructions."""

from __future__ import annotations

from croqc.codegen.places import Places
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import Lit, Tile, Var, add
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import THREADS, Unit


def print_metadata(w: Writer, places: Places, stmt: ir.LoadMetadata) -> None:
    """A word a K step. Of 16-bit elements it holds sixteen of K in two rows eight apart, the second ones highest; one
    thread of a quad has it or, where a step is longer, each pair of them. Of 8-bit elements it holds 32 of K in one
    row: of two rows and two parts of a step each thread of a quad has one."""
    row, byte, step = (places.own(wish) for wish in ("row", "byte", "step"))
    if stmt.declares:
        w.line(f"u32 {stmt.name}[{stmt.steps}];  // of {stmt.rows} rows: which elements are there")
    warp = f"threadIdx.x % {THREADS[Unit.GROUP4]} / {THREADS[Unit.GROUP]} * 16 + " if stmt.unit is Unit.GROUP4 else ""
    narrow, width = ELEMENTS[stmt.elem].bits == 8, stmt.k_step // 8  # bytes of a row
    first = "" if width == 2 else " + threadIdx.x % 4 / 2 * 4" if narrow else " + threadIdx.x % 2 * 2"
    w.line("#pragma unroll")
    with w.block(f"for (int {step} = 0; {step} < {stmt.steps}; ++{step})"):
        w.line(f"const int {row} = {warp}operand_row(0){' + threadIdx.x % 2 * 8' if narrow else ''};")
        w.line(f"const int {byte} = {step} * {width}{first};")
        low = _bits(places, stmt.tile, row, byte, 4 if narrow else 2)
        high = "" if narrow else f" | {_bits(places, stmt.tile, f'({row} + 8)', byte, 2)} << 16"
        w.line(f"{stmt.name}[{step}] = {low}{high};")


def _bits(places: Places, tile: Tile, row: str, byte: str, count: int) -> str:
    """Some bytes of a row, the first ones lowest, out of bytes or out of a word."""
    if tile.tensor.elem_bytes == 1:
        at = [add(Var(byte), Lit(number)) for number in range(count)]
        parts = [f"u32({places.element(tile, (Var(row), each))})" for each in at]
        both = " | ".join(f"{part} << {8 * number}" if number else part for number, part in enumerate(parts))
        return f"({both})"
    word = places.element(tile, (Var(row), Var(f"{byte} / 4")))
    return word if count == 4 else f"({word} >> {byte} % 4 * 8 & 0xffff)"
