"""Registers of multiplies in the words of C++ and PTX. Must not print statements."""

from __future__ import annotations

from typing import Final

from croqc.pipe import ir

OPERANDS: Final = {
    "f16": "f16", "bf16": "bf16", "tf32": "tf32", "f32": "tf32", "f8_e4m3": "e4m3", "f8_e5m2": "e5m2", "s8": "s8",
    "u8": "u8",
}  # fmt: skip
"""What PTX calls the element types of operands (PTX ISA, mma and wgmma.mma_async)."""

_TYPES: Final = {"f32": "float", "s32": "int", "f16": "u32"}


def register_type(acc: ir.Accumulator) -> str:
    """What one register of an accumulator holds; 16-bit elements lie in pairs."""
    return _TYPES[acc.elem]
