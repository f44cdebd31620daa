"""Register tiles and operands in the words of C++ and PTX: what a thread declares and uses. Must not decide."""

from __future__ import annotations

from typing import Final

from croqc.codegen.words import type_word
from croqc.pipe import ir
from croqc.sema.model import Unit

OPERANDS: Final = {
    "f16": "f16", "bf16": "bf16", "tf32": "tf32", "f32": "tf32", "f8_e4m3": "e4m3", "f8_e5m2": "e5m2", "s8": "s8",
    "u8": "u8", "f64": "f64",
}  # fmt: skip
"""What PTX calls the element types of operands (PTX ISA, mma and wgmma.mma_async)."""


def register_type(tile: ir.Accumulator) -> str:
    """What one register of a tile holds; 16-bit floats of a tile lie in pairs."""
    return "u32" if tile.packed else type_word(tile.elem)


def register_count(tile: ir.Accumulator) -> int:
    return tile.owned // 2 if tile.packed else tile.owned


def declaration(tile: ir.Accumulator) -> str:
    """The declaration of a tile's registers, without a comment."""
    count = f"[{tile.count}]" if tile.count > 1 else ""
    return f"{register_type(tile)} {tile.name}{count}[{register_count(tile)}];"


def described(tile: ir.Accumulator) -> str:
    """What a comment says of a tile."""
    match tile.spread:
        case ir.Spread.ROWS:
            return f"{tile.m} {tile.elem}, those of the thread's rows"
        case ir.Spread.COLUMNS:
            return f"{tile.n} {tile.elem}, those of the thread's columns"
    return f"{tile.m} x {tile.n} {tile.elem}"


def element(tile: ir.Accumulator, registers: str, number: str) -> str:
    """The value of one of the thread's own elements."""
    return f"half_of<{tile.elem}>({registers}, {number})" if tile.packed else f"{registers}[{number}]"


def put(tile: ir.Accumulator, registers: str, number: str, value: str) -> str:
    """The statement that writes one of the thread's own elements."""
    return f"put_half({registers}, {number}, {value});" if tile.packed else f"{registers}[{number}] = {value};"


def places(tile: ir.Accumulator, number: str) -> tuple[str, str]:
    """The row and the column of one of the thread's own elements."""
    warp = tile.unit is Unit.GROUP
    match tile.spread:
        case ir.Spread.ROWS:
            return f"{'warp_row_of' if warp else 'row_of'}({number})", "0"
        case ir.Spread.COLUMNS:
            return "0", f"column_of({number})"
    if tile.turned:
        return f"warp_column<{tile.m}>({number})", f"warp_row<{tile.m}>({number})"
    if warp:
        return f"warp_row<{tile.n}>({number})", f"warp_column<{tile.n}>({number})"
    return f"fragment_row({number})", f"fragment_column({number})"
