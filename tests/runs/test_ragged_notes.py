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
