"""Metadata of sparse multiplies: which bits each thread has, against the storage that the PTX ISA draws (mma.sp)."""

from __future__ import annotations

import re

import pytest

from croqc.service.check import check_text
from croqc.service.settings import Settings
from tests.codegen.compiling import lowered
from tests.codegen.test_fragments import value

TEXT = """__co__ void f(global {elem} [{m}, {a}] x, global {elem} [8, {k}] w, global {bits} e, global f32 [{m}, 8] y) {{
  parallel b by 1 : block {{
    shared {elem} [{m}, {a}] xs;
    shared {elem} [8, {k}] ws;
    shared {bits} es;
    dma.copy x => xs;
    dma.copy w => ws;
    dma.copy e => es;
    parallel g by 1 : {unit} {{
      c = mma.fill.f32 0.0f;
      {loads}
      told = mma.load es;
      mma.row.row.sp c, {operands}, told;
      mma.commit;
      mma.store c, y;
    }}
  }}
}}
"""


def code(elem: str, k: int, bits: str, warp: bool = False, arch: str = "sm_90a") -> str:
    loads, operands = ("p = mma.load xs; q = mma.load ws;", "p, q") if warp else ("", "xs, ws")
    unit, m = ("group", 16) if warp else ("group-4", 64)
    text = TEXT.format(elem=elem, m=m, a=k // 2, k=k, bits=bits, unit=unit, loads=loads, operands=operands)
    report = check_text(text, Settings(arch=arch))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    return item.program.unit.text


def places(text: str, thread: int, step: int) -> tuple[int, int]:
    """The first row and byte that a thread reads for a step."""
    found = []
    for name in ("row", "byte"):
        match = re.search(rf"const int {name} = ([^;]*);", text)
        assert match is not None
        expr = re.sub(r"operand_row\(0\)", str(value("operand_row", thread, 0)), match.group(1))
        expr = expr.replace("threadIdx.x", str(thread)).replace("/", "//")
        found.append(int(eval(expr, {"step": step})))
    return found[0], found[1]


@pytest.mark.parametrize("thread", range(128))
def test_sixteen_bit_elements_of_a_step_of_32(thread: int) -> None:
    """Threads 0 and 1 of a quad hold columns 0 to 15 and 16 to 31 of rows g and g + 8: two bytes of each."""
    text = code("f16", 64, "u8 [64, 8]")
    warp, lane = divmod(thread, 32)
    for step in (0, 1):
        assert places(text, thread, step) == (16 * warp + lane // 4, 4 * step + 2 * (lane % 2))
    assert re.search(
        r"told\[step\] = \(u32\(es\[row .*byte\]\) \| .*<< 8\) \| \(u32\(es\[\(row \+ 8\).*\) << 16;", text
    )
    assert ", e, 0x0" not in text
    assert "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16" in text


@pytest.mark.parametrize("lane", range(32))
def test_sixteen_bit_elements_of_a_step_of_16(lane: int) -> None:
    """The first thread of a quad holds columns 0 to 15 of rows g and g + 8."""
    text = code("f16", 16, "u8 [16, 2]", warp=True)
    assert places(text, lane, 0) == (lane // 4, 0)
    assert re.search(r"mma\.sp::ordered_metadata\.sync\.aligned\.m16n8k16\..*", text)
    assert ", %8, 0x0;" in text  # behind four of D, two of A and two of B


@pytest.mark.parametrize("thread", range(0, 128, 5))
def test_eight_bit_elements(thread: int) -> None:
    """Threads 0 and 1 of a quad hold columns 0 to 31 of rows g and g + 8, threads 2 and 3 columns 32 to 63."""
    text = code("f8_e4m3", 64, "u32 [64, 2]")
    warp, lane = divmod(thread, 32)
    t = lane % 4
    assert places(text, thread, 0) == (16 * warp + lane // 4 + 8 * (t % 2), 4 * (t // 2))
    assert "told[step] = es[row * 2 + byte / 4];" in text


def test_words_are_taken_apart() -> None:
    text = code("bf16", 64, "u32 [64, 2]")
    assert "(es[row * 2 + byte / 4] >> byte % 4 * 8 & 0xffff) | (es[(row + 8) * 2 + byte / 4]" in text


def test_a_is_half_as_wide_as_b() -> None:
    text = code("f16", 64, "u8 [64, 8]")
    assert "operand<64>(xs, tile_start<64, 64, 2>(0, step * 32 / 2))" in text
    assert "operand<128>(ws, tile_start<8, 128, 2>(0, step * 32))" in text
    split = code("f16", 64, "u8 [64, 8]", arch="sm_80")
    assert "load_a<64, 64, 2>(a, xs, 0, step * 16);" in split
    assert re.findall(r"load_b<8, 128, 2>\((b|b1), ws, n, (.*?), n \+ 8", split) == [
        ("b", "step * 32"),
        ("b1", "step * 32 + 16"),
    ]


def test_metadata_that_nothing_loads_is_asked_for() -> None:
    text = (
        TEXT.format(elem="f16", m=64, a=32, k=64, bits="u8 [64, 8]", unit="group-4", loads="", operands="xs, ws")
        .replace(", told;", ";")
        .replace("told = mma.load es;", "")
        .replace("told = mma.load es;", "")
    )
    report = check_text(text)
    item = lowered(report, report.functions[0])
    assert item.problem is not None
    assert "wants its metadata loaded: 'e = mma.load …;'" in item.problem.message
