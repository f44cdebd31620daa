"""Operands in shared memory: which elements each lane gets from ldmatrix, and which ones descriptors reach.

Layouts of mma.sync's operands from the reference, 6.5; strides of descriptors from the PTX ISA, matrix descriptor.
"""

from __future__ import annotations

import re

import pytest

from croqc.codegen.unit import header
from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.service.check import check_text
from croqc.service.settings import Settings
from tests.codegen.compiling import complaints, log_of, lowered
from tests.pipe.lowering import after, only, stages_of

# --- ldmatrix ----------------------------------------------------------------------------------


def rows_of(name: str, thread: int, size: int) -> tuple[int, int]:
    """Row and column, from the tile's start, of the eight elements whose address a lane gives."""
    body = re.search(rf"void {name}\(.*?\n}}", header("mma_sync"), re.DOTALL)
    assert body is not None
    text = " ".join(body.group(0).partition("swizzled<Rows, Swizzle, Size>(")[2].split())
    depth = [text[:at].count("(") - text[:at].count(")") for at in range(len(text))]
    row, _, column = text[: next(at for at, char in enumerate(text) if char == ")" and depth[at] == 0)].partition(", ")
    values = {"row": 0, "column": 0, "lane": thread % 32, "warp": thread // 32, "more": 8, "Size": size}
    return tuple(int(eval(text.replace("/", "//"), values)) for text in (row, column))  # type: ignore[return-value]


def loaded(name: str, thread: int, size: int = 2) -> list[list[tuple[int, int]]]:
    """The elements in each of a thread's four registers, (row, column) from the tile's start: ldmatrix gives lane l the
    elements 2 (l % 4) and the next of row l / 4 of each matrix; transposed, of its column."""
    warp, lane = divmod(thread, 32)
    found = []
    for matrix in range(4):
        if name.endswith("_mn"):
            places = [rows_of(name, warp * 32 + matrix * 8 + 2 * (lane % 4) + side, size) for side in (0, 1)]
            found.append([(row, column + lane // 4) for row, column in places])
        else:
            row, column = rows_of(name, warp * 32 + matrix * 8 + lane // 4, size)
            each = 16 // size // 4
            found.append([(row, column + (lane % 4) * each + side) for side in range(each)])
    return found


@pytest.mark.parametrize("thread", range(128))
def test_a_lane_gets_its_elements_of_a(thread: int) -> None:
    warp, lane = divmod(thread, 32)
    g, t = lane // 4, lane % 4
    want = [
        [(16 * warp + g + 8 * half, 2 * t + 8 * deep + side) for side in (0, 1)] for deep in (0, 1) for half in (0, 1)
    ]
    assert loaded("load_a", thread) == want
    assert [[(m, k) for k, m in register] for register in loaded("load_a_mn", thread)] == want


@pytest.mark.parametrize("lane", range(32))
def test_a_lane_gets_its_elements_of_b(lane: int) -> None:
    """Two steps of eight columns n, each of two registers."""
    g, t = lane // 4, lane % 4
    want = [[(g + 8 * step, 2 * t + 8 * deep + side) for side in (0, 1)] for step in (0, 1) for deep in (0, 1)]
    assert loaded("load_b", lane) == want
    assert [[(n, k) for k, n in register] for register in loaded("load_b_mn", lane)] == want


def test_eight_columns_at_the_end_read_no_further() -> None:
    report = check_text(SHARED.format(a="[64, 32]", b="[24, 32]", form="row.row", n=24), Settings(arch="sm_80"))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    assert ", n + 8 < 24 ? 8 : 0);" in item.program.unit.text


# --- descriptors -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["wgmma", "tcgen05"])
def test_the_strides_of_a_descriptor_across_k(name: str) -> None:
    """Bits 16 to 29 from column group to group, 32 to 45 from eight rows to the next, both in 16 bytes."""
    text = header(name)
    assert re.search(r"1u << 16\) \+ \(offset >> 4\)", text)
    assert re.search(r"Swizzle \* 8 / 16\) << 32 \| low", text)
    assert "(offset) + (u64(Rows * Swizzle / 16 - 1) << 16)" in text.replace("(tensor, offset)", "(offset)")


def start(rows: int, swizzle: int, row: int, column: int) -> int:
    """Bytes from the start of a tile of 16-bit elements (reference, 5.6): column groups, one after the other."""
    width = swizzle // 2
    return column // width * rows * swizzle + row * swizzle + column % width * 2


def swizzled(address: int, swizzle: int) -> int:
    """The permutation of sixteen bytes by the bits of the address (reference, 5.6)."""
    return address ^ (address >> 7 & {32: 1, 64: 3, 128: 7}[swizzle]) << 4


@pytest.mark.parametrize("swizzle", [32, 64, 128])
@pytest.mark.parametrize("rows", [16, 32, 64])
def test_a_descriptor_across_k_reaches_the_elements_of_the_layout(swizzle: int, rows: int) -> None:
    """The canonical layout of an operand across K, in bytes: groups of `swizzle` bytes of N, eight rows of K, and the
    permutation of 16 bytes by the address."""
    group, leading, stride = swizzle // 2, rows * swizzle, 8 * swizzle
    for first in range(0, rows, 16):
        begin = start(rows, swizzle, first, 0)
        for k in range(16):
            for n in range(3 * group):
                at = begin + n // group * leading + k // 8 * stride + k % 8 * swizzle + n % group * 2
                assert swizzled(at, swizzle) == swizzled(start(rows, swizzle, first + k, n), swizzle)


# --- the pass ----------------------------------------------------------------------------------

SHARED = """__co__ void f(global f16 {a} a, global f16 {b} b, global f32 [64, {n}] out) {{
  parallel p by 1 : block {{
    shared f16 {a} a_s;
    shared f16 {b} b_s;
    dma.copy a => a_s;
    dma.copy b => b_s;
    parallel w by 1 : group-4 {{
      c = mma.fill.f32 0.0f;
      mma.{form} c, a_s, b_s;
      mma.store c, out;
    }}
  }}
}}
"""
FORMS = {
    "row.row": ("[64, 32]", "[96, 32]", True, True),
    "row.col": ("[64, 32]", "[32, 96]", True, False),
    "col.row": ("[32, 64]", "[96, 32]", False, True),
    "col.col": ("[32, 64]", "[32, 96]", False, False),
}


@pytest.mark.parametrize("form", FORMS)
def test_majors_in_ptx(form: str) -> None:
    """PTX ISA, wgmma.mma_async: the last two immediates transpose A and B; tcgen05: bits 15 and 16 of the shape."""
    a, b, a_along, b_along = FORMS[form]
    text = SHARED.format(a=a, b=b, form=form, n=96)
    hopper, blackwell = (code(text, arch) for arch in ("sm_90a", "sm_100a"))
    assert f"1, 1, {int(not a_along)}, {int(not b_along)};" in hopper
    assert ("operand_mn<128, 32>(a_s, " in hopper) is not a_along
    shapes = {int(bits, 16) for bits in re.findall(r"^ +(0x[0-9a-f]+), (?:c_started|true)\);", blackwell, re.MULTILINE)}
    assert shapes == {1 << 4 | (not a_along) << 15 | (not b_along) << 16 | 96 // 8 << 17 | 4 << 24}


def code(text: str, arch: str) -> str:
    report = check_text(text, Settings(arch=arch))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    return item.program.unit.text


@pytest.mark.slow
@pytest.mark.parametrize("arch", ["sm_90a", "sm_80", "sm_100a"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_compiles(form: str, arch: str) -> None:
    a, b, *_ = FORMS[form]
    assert complaints(log_of(code(SHARED.format(a=a, b=b, form=form, n=96), arch), arch)) == []


PARTS = """__co__ void f(global f16 [64, 64] a, s32 at, global f32 [64, {n}] out) {{
  parallel p by 1 : block {{
    shared f16 [64, 64] a_s;
    shared f16 [64, 128] b_s;
    dma.copy a => a_s;
    dma.copy a => b_s.subspan(64, 64).at(0, 0);
    parallel w by 1 : group-4 {{
      c = mma.fill.f32 0.0f;
      foreach q in 2 {{ mma.{form}; }}
      mma.store c, out;
    }}
  }}
}}
"""


@pytest.mark.parametrize(
    ("form", "n", "arch"),
    [
        ("row.col c, a_s, b_s.subspan(64, 64).at(0, q)", 64, "sm_90a"),
        ("row.col c, a_s, b_s.subspan(64, 32).at(0, q)", 32, "sm_90a"),
        ("row.row c, a_s.subspan(64, 16).at(0, q), b_s.subspan(64, 16).at(0, q)", 64, "sm_90a"),
        ("row.col c, a_s, b_s.view(64, 24).from(0, 8 * q)", 24, "sm_80"),
    ],
)
def test_parts_of_shared_tensors(form: str, n: int, arch: str) -> None:
    assert only(after("rows", PARTS.format(form=form, n=n), {}, arch), ir.Multiply)


@pytest.mark.parametrize(
    ("form", "n", "words"),
    [
        ("row.row c, a_s, b_s.view(64, 64).from(0, at)", 64, "a multiple of 8 rows and a multiple of 16 columns"),
        ("row.row c, a_s, b_s.view(32, 64).from(4 * q, 0)", 32, "has to start at a multiple of 8 rows"),
        ("row.col c, a_s, b_s.view(64, 24).from(0, 24 * q)", 24, "24 columns of 'b_s' from here reach over its groups"),
        ("row.col c, a_s, b_s.view(64, 64).from(0, 32 * q)", 64, "start at a multiple of 64, or use '.swiz<32>'"),
    ],
)
def test_parts_that_no_descriptor_reaches(form: str, n: int, words: str) -> None:
    report = check_text(PARTS.format(form=form, n=n))
    with pytest.raises(LoweringError) as error:
        list(stages_of(report, {}))
    assert words in error.value.message
    at = error.value.span.shift(report.functions[0].base)
    assert report.source.slice(at).startswith("mma.row")


# --- registers ---------------------------------------------------------------------------------

WARP = """__co__ void f(global {elem} [16, {k}] a, global {elem} {b} b, global {acc} [16, 8] out) {{
  parallel p by 1 : block {{
    parallel w by 1 : group {{
      c = mma.fill.{acc} 0;
      x = mma.load a.view(16, {step}).from(0, {at});
      y = mma.load b.view({view}).from(0, 0);
      mma.row.{right} c, x, y;
      mma.store c, out;
    }}
  }}
}}
"""


@pytest.mark.parametrize(
    ("k", "at", "by_words"),
    [(16, 0, True), (32, 16, True), (32, 2, True), (17, 0, False), (32, 1, False)],
)
def test_a_register_is_read_as_a_word_where_it_is_one(k: int, at: int, by_words: bool) -> None:
    text = WARP.format(elem="bf16", k=k, b="[8, 16]", acc="f32", step=16, at=at, view="8, 16", right="row")
    left, right = only(after("rows", text, {}), ir.LoadFragment)
    assert (left.by_words, right.by_words) == (by_words, True)


@pytest.mark.parametrize(
    ("elem", "acc", "step", "pieces"), [("s8", "s32", 32, 4), ("bf16", "f32", 16, 2), ("f32", "f32", 8, 1)]
)
def test_elements_across_k_are_packed(elem: str, acc: str, step: int, pieces: int) -> None:
    """Four bytes a register: 4, 2 or 1 elements, each from a row of its own."""
    text = code(
        WARP.format(elem=elem, k=step, b=f"[{step}, 8]", acc=acc, step=step, at=0, view=f"{step}, 8", right="col"),
        "sm_80",
    )
    (packed,) = re.findall(r"y\[.*\] = pack_bits\((.*)\);", text)
    assert packed.count("b[s64(") == pieces
    assert all(f"operand_byte(j) / {4 // pieces} + {more}" in packed or pieces == 4 for more in range(1, pieces))


HELD = """__co__ void f(global f16 [64, 64] a, global f32 [64, 64] out) {{
  parallel p by 1 : block {{
    shared f16 [64, 64] a_s;
    dma.copy a => a_s;
    parallel w by 1 : group-4 {{
      c = mma.fill.f32 0.0f;
      frag {kind} weights {{1.0f}};
      mma.{form} c, weights, a_s;
      mma.store c, out;
    }}
  }}
}}
"""


def test_a_register_tile_is_a_left_operand() -> None:
    """Pairs of a tile's columns are those of A's registers: four a step (reference, 6.5)."""
    text = code(HELD.format(kind="f16 [64, 64]", form="row.col"), "sm_90a")
    assert "weights[step * 4 + 0], weights[step * 4 + 1], weights[step * 4 + 2], weights[step * 4 + 3]," in text
    for lane in range(32):
        g, t = lane // 4, lane % 4
        for pair in range(16):
            row, column = g + 8 * (pair % 2), 8 * (pair // 2) + 2 * t
            step, register = divmod(pair, 4)
            assert (row, column) == (g + 8 * (register % 2), 16 * step + 8 * (register // 2) + 2 * t)


@pytest.mark.parametrize(
    ("kind", "form", "arch", "words"),
    [
        ("f32 [64, 64]", "row.row", "sm_90a", "'weights' of 64 x 64 f32 does not lie in registers as this operand"),
        ("f16 [64, 64]", "col.row", "sm_90a", "store it to shared memory and load it from there"),
        ("f16 [64, 64]", "row.row", "sm_100a", "tcgen05 reads both operands from shared memory"),
    ],
)
def test_register_tiles_that_are_no_operands(kind: str, form: str, arch: str, words: str) -> None:
    text = HELD.format(kind=kind, form=form)
    text = text if "f16 [64, 64] w" in text else text.replace("f16 [64, 64] a", "f32 [64, 64] a")
    report = check_text(text, Settings(arch=arch))
    with pytest.raises(LoweringError) as error:
        list(stages_of(report, {}))
    assert words in error.value.message
