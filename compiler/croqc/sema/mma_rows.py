"""Finding a multiply in the target's tables (reference, 6.3). Must not report.

The tables stand in `croqc.targets`, in the order of lookup: WMMA, warpgroup, mma.sync.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from croqc.targets import TARGETS
from croqc.targets.table import MmaRow, Target
from croqc.text.record import record

# The accumulator's type where the program gives none ([R] of 6.3).
_INFERRED: Final = {
    "f16": "f16",
    "bf16": "f32",
    "tf32": "f32",
    "f8_e4m3": "f32",
    "f8_e5m2": "f32",
    "f64": "f64",
    **dict.fromkeys(("s8", "u8", "s4", "u4", "u1", "bin1"), "s32"),
}


@record
class Wanted:
    """What a program asks for: element types of operands and accumulator, extents, sparsity."""

    a: str
    b: str
    acc: str
    m: int
    n: int
    k: int
    sparse: bool = False

    @property
    def shape(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"


@record
class Found:
    row: MmaRow
    k_step: int


def operand_type(elem: str) -> str:
    """An f32 operand is multiplied as tf32 (3.1)."""
    return "tf32" if elem == "f32" else elem


def inferred_accumulator(a: str, b: str) -> str | None:
    first, second = _INFERRED.get(a), _INFERRED.get(b)
    return first if first == second else None


def find(target: Target, wanted: Wanted) -> Found | None:
    """The first row with exactly this shape, else the first that K splits into; the largest K of the row."""
    rows = [row for row in _matching(target.mma, wanted) if row.m == wanted.m and wanted.n in row.n]
    for row in rows:
        if wanted.k in row.k:
            return Found(row, wanted.k)
    for row in rows:
        steps = [k for k in row.k if wanted.k % k == 0]
        if steps:
            return Found(row, max(steps))
    return None


def _matching(rows: Iterable[MmaRow], wanted: Wanted) -> list[MmaRow]:
    return [
        row
        for row in rows
        if (wanted.a, wanted.b) in row.types and wanted.acc in row.acc and row.sparse == wanted.sparse
    ]


def offering(wanted: Wanted) -> tuple[str, ...]:
    """The targets whose warpgroup rows hold the multiply."""
    return tuple(
        name
        for name, target in TARGETS.items()
        if (found := find(target, wanted)) is not None and found.row.unit == "group-4"
    )


def nearest(target: Target, wanted: Wanted, unit: str | None = None, limit: int = 3) -> tuple[str, ...]:
    """Legal shapes for the same types, the most similar first; empty where the types have none.

    Those of `unit` alone, "group" or "group-4", where it has any.
    """
    rows = _matching(target.mma, wanted)
    candidates: set[tuple[int, int, int]] = set()
    for row in [row for row in rows if row.unit == unit] or rows:
        k = min(row.k, key=lambda value: (wanted.k % value != 0, abs(value - wanted.k), value))
        near = sorted(row.n, key=lambda value: (abs(value - wanted.n), value))[:limit]
        candidates |= {(row.m, n, k) for n in near}

    def distance(shape: tuple[int, int, int]) -> tuple[int, int, tuple[int, int, int]]:
        m, n, k = shape
        return abs(m - wanted.m) + abs(n - wanted.n), abs(k - wanted.k), shape

    return tuple("x".join(map(str, shape)) for shape in sorted(candidates, key=distance)[:limit])


def accumulators(target: Target, wanted: Wanted) -> tuple[str, ...]:
    """The types that products of these operands are accumulated in; "f32" first."""
    rows = (row for row in target.mma if (wanted.a, wanted.b) in row.types and row.sparse == wanted.sparse)
    return tuple(sorted({acc for row in rows for acc in row.acc}, key=lambda acc: (acc != "f32", acc)))
