"""Bytes that follow sizes are unknown, not 0, and not those of a whole slot."""

from __future__ import annotations

from pathlib import Path

from croqc.cli.flow_report import flow_lines
from croqc.flow.analysis import CHECK_BUDGET
from croqc.flow.moments import Barrier
from croqc.service.check import check_file, check_text
from croqc.service.flow import flow_result
from croqc.service.flow_check import with_flow

EXAMPLES = Path(__file__).parents[2] / "examples"
PARTS = """__co__ void f(global s32 [R, 16] x, global s32 [R, 16] y, int n) {
  parallel b by 1 : block {
    shared event full[2], empty[2] = ready;
    shared s32 [8, 16] ring[2];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        foreach {k} in [R] {
          wait empty[k % 2];
          f = dma.copy.async x.subspan(ROWS, 16).at(k, 0) => ring[k % 2].subspan(ROWS, 16).at(0, 0);
          trigger full[k % 2] after f;
        }
      }
      inthreads.async (p == 1) {
        foreach {k} in [R] {
          wait full[k % 2];
          dma.copy ring[k % 2].subspan(ROWS, 16).at(0, 0) => y.subspan(ROWS, 16).at(k, 0);
          trigger empty[k % 2];
        }
      }
    }
  }
}
"""


def test_buffers_whose_extents_follow_sizes() -> None:
    result = flow_result(check_file(EXAMPLES / "swap_s32.co"))
    (flow,) = result.flows
    assert [(each.name, each.slotBytes) for each in flow.buffers] == [(f"{x}f{n}", None) for n in "01" for x in "lr"]
    copies = [step for step in flow.steps if step.op == "copy"]
    assert copies
    assert {step.bytes for step in copies} == {None}
    assert not any("global memory" in step.text for step in copies)  # they come in all the same
    lines = [line.split() for line in flow_lines(result) if " slot" in line]
    assert lines == [
        [f"{x}f{n}", *["1", "slot", "whose", "bytes", "follow", "the", "sizes"]] for n in "01" for x in "lr"
    ]


def told(rows: str) -> tuple[list[int | None], list[str]]:
    report = with_flow(check_text(PARTS.replace("ROWS", rows)), CHECK_BUDGET)
    (entry,) = flow_result(report).flows
    first = [step for step in entry.steps if step.iteration == {"k": 0}]
    return [step.bytes for step in first if step.op == "copy"], [step.text for step in first]


def test_a_copy_of_a_part_that_follows_sizes() -> None:
    """Four rows of 16 words are 256 bytes of a slot of 512; n rows are nobody knows how many."""
    sizes, texts = told("4")
    assert sizes == [256, None]  # what goes out has none
    assert "path p == 0 arrives on full[0] and 256 bytes are to land" in texts
    sizes, texts = told("n")
    assert sizes == [None, None]
    assert "path p == 0 arrives on full[0]" in texts
    assert texts.count("The copy into ring[0] has landed") == 1


def test_what_landed_of_unknown_size_belongs_to_no_later_generation() -> None:
    barrier = Barrier("full", 0, 1)
    barrier.arrive(0, 0)
    barrier.land(1, 0)
    barrier.arrive(2, 256)
    barrier.land(3, 256)
    assert barrier.made == {0: (0,), 1: (2, 3)}
