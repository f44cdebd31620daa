"""What a hover on a copy or a multiply tells beyond its documentation, and that on a dimension or macro: by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.pipe import ir
from croqc.pipe.walk import statements
from croqc.service.check import check_text
from croqc.service.lowering import lower_file
from croqc.text.record import replace
from croqc.text.span import Span
from croqls.ide.hover import hover
from croqls.ide.hover_operations import Made
from croqls.ide.shared_memory import how_made, layouts_of
from croqls.ide.snapshot import Snapshot

EXAMPLES = Path(__file__).parents[2] / "examples"
FRONT = """// croq: arch sm_90a
#define ROWS 16
#define TILE (ROWS * 2)
// croq: run N=64
// croq: run N=96 M=1
// croq: run N=64
__co__ void f(global f32 [N, TILE] x, global f32 [M, TILE] y) {
  parallel b by cdiv(N, ROWS) : block {
    shared f32 [ROWS, TILE] s;
    dma.copy.zfill x.subspan(ROWS, TILE).at(b, 0) => s;
    dma.copy s => y.subspan(ROWS, TILE).at(b, 0);
  }
}
"""


def told(text: str, at: str, beyond: int = 0, made: Made | None = None) -> str:
    found = hover(Snapshot("file:///k.co", 1, text), text.index(at) + beyond, with_flow=False, made=lambda: made or {})
    assert found is not None
    return found.markdown


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


@pytest.mark.parametrize("beyond", [0, 4])
def test_a_copy_tells_bytes_direction_unit_alignment_and_swizzle(beyond: int) -> None:
    """128 rows of 64 halves: 16,384 bytes. Rows of 128 bytes are swizzled so, which wants 1,024 bytes (PTX ISA)."""
    assert told(example("gemm_f16"), "tma.copy.swiz<128> lhs", beyond).startswith(
        "16,384 bytes, global → shared: [128, 64] f16, by a warpgroup. `lhs_s` is aligned to 1024 bytes. "
        "Swizzled by 128 bytes. What the source does not cover becomes 0.\n\n```croqtile\n"
    )


def test_a_copy_of_the_whole_block_and_back() -> None:
    """16 rows of 32 floats: 2,048 bytes."""
    into, back = told(FRONT, "dma.copy.zfill"), told(FRONT, "dma.copy s =>")
    assert into.startswith("2,048 bytes, global → shared: [16, 32] f32, by all threads of the block. `s` is aligned")
    assert "becomes 0" in into and "becomes 0" not in back
    assert back.startswith("2,048 bytes, shared → global: [16, 32] f32, by all threads of the block.")


def test_a_copy_whose_bytes_hang_on_sizes_says_so() -> None:
    text = example("pipeline_course")
    assert told(text, "dma.copy rhs").startswith("As many bytes as its sizes say, global → shared: [N / cdiv(N, 64), ")


def test_how_a_copy_is_made_is_told_once_it_is_known() -> None:
    """On this target a plain copy of 16-byte pieces by a role is TMA's, and that of three of a block are not."""
    text = example("rotate_triple")
    place = text.index("f0 = dma.copy.async")
    base = Snapshot("file:///k.co", 1, text).report.functions[0].base
    start, end = place - base, text.index(";", place) + 1 - base
    known = {Span(start, end): "by `cp.async`, 16 bytes an access"}
    assert "Made " not in told(text, "dma.copy.async")
    assert " Made by `cp.async`, 16 bytes an access. " in told(text, "dma.copy.async", made=known)


@pytest.mark.parametrize(
    ("name", "hows"),
    [
        ("pipeline_current", ["by TMA"] * 3),
        ("rotate_triple", ["by `cp.async`, 16 bytes an access"] * 2),
        ("swap_s32", ["by loads and stores of 16 bytes"] * 4),
    ],
)
def test_the_compiler_says_how_copies_are_made(name: str, hows: list[str]) -> None:
    """At the statements that they stand for."""
    text = example(name)
    report = Snapshot("file:///k.co", 1, text).report
    (layout,) = layouts_of(report, [0])
    assert layout is not None
    assert [one.how for one in layout.copies][: len(hows)] == hows
    base = report.functions[0].base
    assert all(".copy" in text[base + one.start : base + one.end] or ".load" in text for one in layout.copies)


def test_a_copy_that_asks_for_tma_in_vain_says_why() -> None:
    (lowered,) = lower_file(check_text(example("swap_s32")), None, {})
    assert lowered.program is not None
    copy = next(one for one in statements(lowered.program.kernels[0].body) if isinstance(one, ir.Copy))
    assert how_made(copy) == "by loads and stores of 16 bytes"
    vain = replace(copy, mechanism=ir.Mechanism.SCALAR, instead="its box is not known when compiling")
    assert how_made(vain) == "element by element, not by TMA: its box is not known when compiling"


@pytest.mark.parametrize(("at", "beyond"), [("mma.row.row", 0), ("mma.row.row", 4)])
def test_a_multiply_tells_shapes_unit_instruction_and_registers(at: str, beyond: int) -> None:
    """64 × 256 sums over the 128 threads of a warpgroup: 128 registers of each."""
    assert told(example("gemm_f16"), at, beyond).startswith(
        "64 × 256 × 16 (M × N × K), f16 × f16 → f32, by a warpgroup: `wgmma` of K 16. "
        "A and B are read from shared memory. The accumulator takes 128 registers of each thread.\n\n"
    )


def test_sums_of_halves_lie_in_pairs_and_a_long_k_takes_several() -> None:
    """64 × 64 halves over 128 threads: 32 of them, two a register. K of 64 in steps of 16."""
    assert "The accumulator takes 16 registers of each thread." in told(example("pipeline_course"), "mma.row.row")
    assert ": 4 times `wgmma` of K 16." in told(example("pipeline_current"), "mma.row.row")


def test_a_warps_multiply_reads_registers() -> None:
    """16 × 8 floats over 32 threads: 4 registers of each."""
    text = """// croq: arch sm_80
__co__ void f(global f16 [16, 16] a, global f16 [8, 16] b, global f32 [16, 8] c) {
  parallel g by 1 : block {
    shared f16 [16, 16] a_s;
    shared f16 [8, 16] b_s;
    shared f32 [16, 8] c_s;
    dma.copy a => a_s;
    dma.copy b => b_s;
    parallel p by 1 : group {
      acc = mma.fill.f32 0.0f;
      x = mma.load a_s;
      y = mma.load b_s;
      mma.row.row acc, x, y;
      mma.store acc, c_s;
    }
    dma.copy c_s => c;
  }
}
"""
    assert told(text, "mma.row.row").startswith(
        "16 × 8 × 16 (M × N × K), f16 × f16 → f32, by a warp: `mma.sync` of K 16. A and B are read from registers. "
        "The accumulator takes 4 registers of each thread."
    )


def test_other_words_of_a_statement_have_their_own_documentation() -> None:
    text = example("gemm_f16")
    assert told(text, "mma.fill").startswith("```croqtile\nc = mma.fill")
    assert told(text, "mma.commit").startswith("```croqtile\nmma.commit")
    assert "bytes, global" not in told(text, "lhs.subspan(TILE_M, TILE_K)")


def test_a_dimension_tells_its_values_and_uses() -> None:
    """N stands in the parameter and in the extent; M in its parameter."""
    assert told(FRONT, "N, TILE] x").endswith("Run with 64, 96. 2 uses in this function.")
    assert told(FRONT, "M, TILE] y").endswith("Run with 1. 1 use in this function.")
    assert told(FRONT.replace("// croq: run N=64\n", ""), "M, TILE] y").endswith("1 use in this function.")


def test_a_macro_tells_how_often_it_is_used() -> None:
    """TILE stands in both parameters, the buffer and both copies."""
    assert "Used 5 times in functions." in told(FRONT, "TILE] x")
    assert told(FRONT, "ROWS, TILE] s").endswith("Macro, line 2. Used 4 times in functions.")
    once = "#define ONE 1\n__co__ void f(global s32 [8] x) { x.at(0) = ONE; }\n"
    assert told(once, "ONE;").endswith("Macro, line 1. Used once in functions.")
