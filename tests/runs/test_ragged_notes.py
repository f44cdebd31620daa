"""Sizes that the text of a kernel does not take are named where they make a run wrong, and no others."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.service.run import run_file
from croqc.service.run_plan import Request
from tests.rules.mending import example, instead

COURSE = example("pipeline_course")
FILLED = COURSE.replace("dma.copy lhs", "dma.copy.zfill lhs").replace("dma.copy rhs", "dma.copy.zfill rhs")
K_RAGGED = (
    "K % 128 == 0 does not hold: K is 100, and what the last tiles of 'lhs' and 'rhs' lack is undefined;"
    " '.zfill' at their copies sets it to 0"
)


def ran(text: str, **sizes: int) -> tuple[str, tuple[str, ...]]:
    report = next(iter(run_file(check_text(text), Request(sizes=dict(sizes)), check_text)))
    return report.result.verdict.value, report.notes


def test_the_size_that_is_summed_over_is_to_blame() -> None:
    """Rows of `lhs` behind M go into rows of the output that are not written; columns behind K into every sum."""
    assert ran(COURSE, M=200, N=64, K=100) == ("wrong", (K_RAGGED,))


def test_a_ragged_extent_of_the_output_is_none() -> None:
    assert ran(COURSE, M=200, N=64, K=256) == ("verified", ())


def test_what_is_filled_with_zeros_is_right() -> None:
    assert ran(FILLED, M=200, N=64, K=100) == ("verified", ())


def test_one_operand_that_is_filled_leaves_the_other() -> None:
    verdict, notes = ran(COURSE.replace("dma.copy lhs", "dma.copy.zfill lhs"), M=128, N=64, K=100)
    assert verdict == "wrong"
    assert [note.partition(" lack")[0].rpartition("of ")[2] for note in notes] == ["'rhs'"]
    assert notes[0].endswith("'.zfill' at its copy sets it to 0")


@pytest.mark.parametrize("size", [128, 256])
def test_nothing_is_said_of_whole_tiles(size: int) -> None:
    wrong = instead(COURSE, "expect output ~= lhs @ rhs.T", "expect output ~= lhs @ rhs.T + 1")
    verdict, notes = ran(wrong, M=128, N=64, K=size)
    assert (verdict, notes) == ("wrong", ())


TILES = """// croq: expect y ~= x * 2.0
__co__ void k(global f32 [M, K] x, global f32 [M, K] y) {
  parallel {bm, bk} by [M / 16, K / 64] : block {
    shared f32 [16, 64] s;
    dma.copy x.subspan(16, 64).at(bm, bk) => s;
    parallel t by 64 : thread {
      foreach r in 16 { s.at(r, t) = s.at(r, t) * 2.0f; }
    }
    dma.copy s => y.subspan(16, 64).at(bm, bk);
  }
}
"""


def test_a_launch_of_whole_tiles_is_to_blame_for_the_rest() -> None:
    assert ran(TILES, M=32, K=128) == ("verified", ())
    assert ran(TILES, M=40, K=128) == (
        "wrong",
        ("M % 16 == 0 does not hold: M is 40, and 'M / 16' leaves the last 8 out",),
    )
    assert ran(TILES, M=33, K=100)[1] == (
        "M % 16 == 0 does not hold: M is 33, and 'M / 16' leaves the last 1 out",
        "K % 64 == 0 does not hold: K is 100, and 'K / 64' leaves the last 36 out",
    )


def test_a_loop_of_whole_tiles_in_both_roles_is_to_blame() -> None:
    text = COURSE.replace("cdiv(K, MATMUL_TILE_K)", "K / MATMUL_TILE_K")
    verdict, notes = ran(text, M=64, N=64, K=200)
    assert verdict == "wrong"
    assert notes[0] == "K % 128 == 0 does not hold: K is 200, and 'K / 128' leaves the last 72 out"


WRITTEN = """// croq: expect y == x
__co__ void k(global s32 [64] x, s32 [64]%s y) {
  parallel p by 64 : thread {
    y.at(p) = x.at(p);
  }
}
"""


def test_an_output_that_the_caller_does_not_get_is_told_beside_the_verdict() -> None:
    note = "what the kernel writes to 'y' does not reach a caller: 'y' is neither 'global' nor '&'"
    assert ran(WRITTEN % "") == ("verified", (note,))
    assert ran(WRITTEN % "&") == ("verified", ())


EQUAL = """// croq: expect y == %s
__co__ void k(global f32 [64] x, global f32 [64] y) {
  parallel p by 64 : thread {
    y.at(p) = x.at(p) / 3.0f * x.at(p);
  }
}
"""


def test_equal_bits_of_rounded_results_are_told_apart_from_wrong_ones() -> None:
    verdict, notes = ran(EQUAL % "x * x / 3.0")
    assert verdict == "wrong"
    assert notes == (
        "'==' asks for the same bits, and these differ by rounding: '~=' allows for it (y == x * x / 3.0)",
    )
    assert ran(EQUAL % "x * x / 2.0") == ("wrong", ())
