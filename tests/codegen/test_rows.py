"""Every dense row of every target's table of multiplies: it is lowered and compiles, or is refused for its reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from croqc.service.check import check_text
from croqc.service.settings import Settings
from croqc.targets import TARGETS
from croqc.targets.table import MmaRow
from croqc.text.diagnostics import Severity
from tests.codegen.compiling import complaints, log_of, lowered

Case = tuple[str, str, str, int, int, int]  # the types of A, B and the accumulator, and M, N, K
DENSE = """__co__ void f(global {a} [{m}, {k}] q, global {b} [{n}, {k}] s, global {acc} [{m}, {n}] out) {{
  parallel g by 1 : block {{
    shared {a} [{m}, {k}] x;
    shared {b} [{n}, {k}] y;
    dma.copy q => x;
    dma.copy s => y;
    parallel w by 1 : {unit} {{
      acc = mma.fill.{acc} 0;
      {multiply}
      mma.store acc, out;
    }}
  }}
}}
"""
LOADED = "l = mma.load x; r = mma.load y; mma.row.row acc, l, r;"
DIRECT = "mma.row.row acc, x, y;"
NARROW = ("s4", "u4", "u1", "bin1")  # optional (reference, 6.3): no generated code computes with them
VOLTA = ("f16", 8, 8, 4)  # by quads of threads, on later cards slower than any other


def refusal(case: Case) -> str:
    """How the reason begins for which a row is not lowered, "" for one that is."""
    a, _, acc, m, n, k = case
    if a in NARROW:
        return f"the type {a} is not lowered to CUDA yet"
    return f"a multiply of {m}x{n}x{k} into {acc} is not lowered: " if (a, m, n, k) == VOLTA else ""


def wanted(row: MmaRow) -> Iterator[Case]:
    """Types and shapes of a row: of the columns the least and the most, of the rest all."""
    for a, b in row.types:
        for acc in row.acc:
            for n in sorted({row.n[0], row.n[-1]}):
                for k in row.k:
                    yield a, b, acc, row.m, n, k


def cases() -> list[tuple[str, Case, str]]:
    found = []
    for arch, target in TARGETS.items():
        for row in target.mma:
            if not row.sparse:
                found += [(arch, case, row.unit) for case in wanted(row)]
    return found


CASES = cases()


def text_of(case: Case, unit: str) -> str:
    a, b, acc, m, n, k = case
    a, b = ("f32" if each == "tf32" else each for each in (a, b))
    multiply = DIRECT if unit == "group-4" else LOADED
    return DENSE.format(a=a, b=b, acc=acc, m=m, n=n, k=k, unit=unit, multiply=multiply)


def test_the_tables_are_gone_through() -> None:
    assert {arch for arch, _, _ in CASES} == set(TARGETS)
    assert len(CASES) > 300


@pytest.mark.slow
@pytest.mark.parametrize("arch", TARGETS)
def test_each_row_compiles_or_is_listed(arch: str) -> None:
    for _, case, unit in (each for each in CASES if each[0] == arch):
        report = check_text(text_of(case, unit), Settings(arch=arch))
        assert [each.message for each in report.diagnostics if each.severity is Severity.ERROR] == [], case
        item = lowered(report, report.functions[0])
        if item.program is None:
            assert item.problem is not None
            assert refusal(case) and item.problem.message.startswith(refusal(case)), case
        else:
            assert not refusal(case), case
            assert complaints(log_of(item.program.unit.text, arch)) == [], case
