"""Multiplies of warps of 8 rows and of f64, emulated lane by lane: the generated calls and places against the layouts
of the PTX ISA (mma, matrix fragments)."""

from __future__ import annotations

import re

import numpy as np
import pytest

from croqc.service.check import check_text
from croqc.service.settings import Settings
from tests.codegen.compiling import complaints, log_of, lowered
from tests.codegen.test_fragments import value
from tests.gpu.cases import KERNELS

Registers = list[list[float]]  # elements, by the number of a register

TEXT = """__co__ void f(global {elem} [{m}, {k}] q, global {elem} [{n}, {k}] s, global {acc} [{m}, {n}] out) {{
  parallel b by 1 : block {{
    parallel w by 1 : group {{
      acc = mma.fill.{acc} 0;
      x = mma.load q;
      y = mma.load s;
      mma.row.row acc, x, y;
      {more}
      mma.store acc, out;
    }}
  }}
}}
"""
SHAPES = [  # with the instruction, its rows, and how many elements a register has
    ("f16", "f32", 8, 32, 16, "mma_m16n8k16_f32_f16_f16", 16, 2),
    ("s8", "s32", 8, 32, 16, "mma_m16n8k16_s32_s8_s8", 16, 4),
    ("s8", "s32", 8, 8, 16, "mma_m8n8k16_s32_s8_s8", 8, 4),
    ("f64", "f64", 8, 8, 4, "mma_m8n8k4_f64_f64_f64", 8, 1),
    ("f64", "f64", 16, 8, 4, "mma_m16n8k4_f64_f64_f64", 16, 1),
    ("f64", "f64", 16, 8, 16, "mma_m16n8k16_f64_f64_f64", 16, 1),
]


def code(elem: str, acc: str, m: int, n: int, k: int, more: str = "", arch: str = "sm_90a") -> str:
    text = TEXT.format(elem=elem, acc=acc, m=m, n=n, k=k, more=more)
    report = check_text(text, Settings(arch=arch))
    item = lowered(report, report.functions[0])
    return item.problem.message if item.program is None else item.program.unit.text  # type: ignore[union-attr]


def fragment(text: str, name: str, matrix: np.ndarray, lane: int, each: int) -> Registers:
    """What `name` holds of a matrix [rows, K] in a lane, as the loops that load it say."""
    count = int(re.search(rf" {name}\[(\d+)\];", text)[1])  # type: ignore[index]
    stride = int(re.search(rf"{name}\[j \* (\d+) \+ i\]", text)[1])  # type: ignore[index]
    size = int(re.search(r"operand_byte\(j\) / (\d)", text)[1]) if "operand_byte(j) /" in text else 1  # type: ignore[index]
    found = []
    for register in range(count):
        piece, block = divmod(register, stride)
        row, first = value("operand_row", lane, block), value("operand_byte", lane, piece) // size
        found.append([float(matrix[row, first + more]) for more in range(each)])
    return found


def issued(text: str, name: str, held: list[dict[str, Registers]], rows: int) -> list[list[float]]:
    """The accumulators of all lanes behind the calls of an instruction, as the PTX ISA has its fragments."""
    outer, inner = (int(re.search(rf"int {each} = 0; {each} < (\d+)", text)[1]) for each in ("m", "n"))  # type: ignore[index]
    call = re.search(rf"\b{name}\(acc \+ (\(.*?\) \* \d+), (.*)\);", text)
    assert call is not None
    sums = [[0.0] * (rows // 4 * outer * inner) for _ in held]
    for m, n in ((m, n) for m in range(outer) for n in range(inner)):
        at = eval(call[1], {"m": m, "n": n})
        given = [[eval(word, {**lane, "m": m, "n": n}) for word in call[2].split(", ")] for lane in held]
        of_a = len(given[0]) * (rows // 8) // (rows // 8 + 1)
        width = len(given[0][0])
        for lane in range(32):
            for register in range(rows // 4):
                row, column = lane // 4 + register // 2 * 8, lane % 4 * 2 + register % 2
                blocks = range(of_a // (rows // 8))
                sums[lane][at + register] += sum(
                    given[row % 8 * 4 + t][piece * (rows // 8) + row // 8][e] * given[column * 4 + t][of_a + piece][e]
                    for piece in blocks
                    for t in range(4)
                    for e in range(width)
                )
    return sums


@pytest.mark.parametrize(("elem", "acc", "m", "n", "k", "name", "rows", "each"), SHAPES)
def test_the_product_of_all_lanes(elem: str, acc: str, m: int, n: int, k: int, name: str, rows: int, each: int) -> None:
    text = code(elem, acc, m, n, k)
    a, b = np.arange(m * k).reshape(m, k) % 13 - 6, np.arange(n * k).reshape(n, k) % 11 - 5
    held = [{"x": fragment(text, "x", a, lane, each), "y": fragment(text, "y", b, lane, each)} for lane in range(32)]
    places = re.search(r"out\[(warp_(?:row|column))<(\d+)>\(r\) \* \d+ \+ (warp_(?:row|column))<\d+>\(r\)\]", text)
    if places is None:
        places = re.search(r"out\[s64\((warp_\w+)<(\d+)>\(r\)\) \* \d+ \+ (warp_\w+)<\d+>\(r\)\]", text)
    assert places is not None
    got = np.full((m, n), np.nan)
    for lane, registers in enumerate(issued(text, name, held, rows)):
        for r, total in enumerate(registers):
            row, column = (value(places[part], lane, r, int(places[2])) for part in (1, 3))
            got[row, column] = total
    assert np.array_equal(got, a @ b.T)


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_80", "sm_89", "sm_90a", "sm_100a"])
@pytest.mark.parametrize("shape", SHAPES[:4], ids=lambda shape: shape[5])
def test_each_compiles(shape: tuple[str, str, int, int, int, str, int, int], arch: str) -> None:
    elem, acc, m, n, k, name, _, _ = shape
    text = code(elem, acc, m, n, k, arch=arch)
    assert name in text
    assert complaints(log_of(text, arch)) == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("frag f32 [8] top; reduce_max(top, acc, 1);", "'top' of 8 does not spread over a group"),
        ("frag f32 [32] bias {1.0f}; apply {i, j} in acc.span { acc.at(i, j) += bias.at(j); }", "no vector lies along"),
    ],
)
def test_eight_rows_have_no_vectors(more: str, message: str) -> None:
    assert message in code("f16", "f32", 8, 32, 16, more)


def test_what_no_instruction_of_today_has_is_refused_with_a_way_out() -> None:
    """m8n8k4 of f16 is Volta's: four of them at once, by quads of threads."""
    assert code("f16", "f32", 8, 8, 4) == (
        "a multiply of 8x8x4 into f32 is not lowered: use 16 or 32 rows, a multiple of 8 columns, and 8 or 16 elements "
        "of 16 bits (or as many bytes) of K, into f16, f32 or s32"
    )


def test_the_kernels_of_the_visit_use_them() -> None:
    for name in ("warp_8x32", "warp_8x32_places", "warp_8x8_s8", "warp_f64", "warp_f64_16"):
        assert (KERNELS / f"{name}.co").exists()
