"""Families of multiply shapes that several targets share (reference, 6.3). Tables only.

Element names are canonical; operands of tf32 multiplies may be written f32 (3.1), which readers map.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from croqc.targets.table import Instruction, MmaRow
from croqc.text.record import replace

Pairs = tuple[tuple[str, str], ...]


def _alike(*names: str) -> Pairs:
    return tuple((name, name) for name in names)


def _mixed(*names: str) -> Pairs:
    return tuple(product(names, names))


F16, BF16, TF32, F64 = _alike("f16"), _alike("bf16"), _alike("tf32"), _alike("f64")
INT8_ALIKE, INT8_MIXED = _alike("s8", "u8"), _mixed("s8", "u8")
INT4_ALIKE, INT4_MIXED = _alike("s4", "u4"), _mixed("s4", "u4")
BITS, FP8 = _alike("u1", "bin1"), _mixed("f8_e4m3", "f8_e5m2")
HALF_ACC, WIDE, INT = ("f16", "f32"), ("f32",), ("s32",)


def _wmma(types: Pairs, acc: tuple[str, ...], *shapes: tuple[int, int, int]) -> tuple[MmaRow, ...]:
    free = types in (F16, BF16)
    return tuple(MmaRow(Instruction.WMMA, "group", types, acc, m, (n,), (k,), major_free=free) for m, n, k in shapes)


_K16 = ((16, 16, 16), (32, 8, 16), (8, 32, 16))

WMMA: Final = (
    *_wmma(F16, HALF_ACC, *_K16),
    *_wmma(BF16, WIDE, *_K16),
    *_wmma(INT8_ALIKE, INT, *_K16),
    *_wmma(TF32, WIDE, (16, 16, 8)),
    *_wmma(F64, ("f64",), (8, 8, 4)),
    *_wmma(INT4_ALIKE, INT, (8, 8, 32)),
    *_wmma(BITS, INT, (8, 8, 128)),
)


def _sync(types: Pairs, acc: tuple[str, ...], m: int, *k: int, sparse: bool = False) -> MmaRow:
    return MmaRow(Instruction.MMA_SYNC, "group", types, acc, m, (8,), k, sparse=sparse)


MMA_SYNC_80: Final = (
    _sync(F16, HALF_ACC, 8, 4),
    _sync(F16, HALF_ACC, 16, 8, 16),
    _sync(BF16, WIDE, 16, 8, 16),
    _sync(TF32, WIDE, 16, 4, 8),
    _sync(INT8_MIXED, INT, 8, 16),
    _sync(INT8_MIXED, INT, 16, 16, 32),
    _sync(INT4_MIXED, INT, 8, 32),
    _sync(INT4_MIXED, INT, 16, 32, 64),
    _sync(F16, HALF_ACC, 16, 16, 32, sparse=True),
    _sync(BF16, WIDE, 16, 16, 32, sparse=True),
)
MMA_SYNC_89: Final = (*MMA_SYNC_80, _sync(FP8, ("f32", "f16"), 16, 32))
MMA_SYNC_90: Final = (*MMA_SYNC_89, _sync(F64, ("f64",), 16, 4, 8, 16))

_N8: Final = tuple(range(8, 257, 8))
_N_INT: Final = (8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256)
_N_SPARSE: Final = (8, 16, 32, 64, 96, 128, 192, 256)


def _group4(types: Pairs, acc: tuple[str, ...], k: int, n: tuple[int, ...] = _N8, **marks: bool) -> MmaRow:
    return MmaRow(Instruction.WGMMA, "group-4", types, acc, 64, n, (k,), **marks)


_FP8_ROWS = (
    _group4(FP8, HALF_ACC, 32),
    _group4(_alike("f8_e4m3"), HALF_ACC, 64, _N_SPARSE, sparse=True),
)
_SPLITTABLE = (
    _group4(F16, HALF_ACC, 16, major_free=True),
    _group4(BF16, WIDE, 16, major_free=True),
    _group4(TF32, WIDE, 8),
    _group4(INT8_ALIKE, INT, 32, _N_INT),
    _group4(F16, HALF_ACC, 32, _N_SPARSE, sparse=True, major_free=True),
    _group4(BF16, WIDE, 32, _N_SPARSE, sparse=True, major_free=True),
)
_BIT_ROW = _group4(BITS, INT, 256, _N_INT)


def _issued_as(instruction: Instruction, rows: tuple[MmaRow, ...], split: bool = False) -> tuple[MmaRow, ...]:
    return tuple(replace(row, instruction=instruction, split=split) for row in rows)


WGMMA: Final = (*_SPLITTABLE, *_FP8_ROWS, _BIT_ROW)

# The same logical multiplies on targets without wgmma. tcgen05 has no 1-bit kind (PTX ISA, tcgen05.mma).
TCGEN05: Final = _issued_as(Instruction.TCGEN05, (*_SPLITTABLE, *_FP8_ROWS))

# FP8 and its sparse form have no warp instruction below sm_89.
SPLIT_80: Final = _issued_as(Instruction.MMA_SYNC, _SPLITTABLE, split=True)
SPLIT_89: Final = (*SPLIT_80, *_issued_as(Instruction.MMA_SYNC, _FP8_ROWS, split=True))
