"""Credits, rounds and names of slots where an event has more of them than a path waits on: counted by hand."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET, analyze_flow
from croqc.flow.report import KernelFlow
from croqc.flow.stages import stage_rows
from croqc.flow.tables import initial_credits, run_ahead, step_text, wait_rows
from croqc.sema.slot_text import subscripts
from croqc.service.check import check_text
from croqc.service.flow import flow_result
from croqc.service.flow_check import with_flow

TWO_RINGS = """__co__ void f(global s32 [R, 16] src, global s32 [R, 16] dst) {
  parallel b by 1 : block {
    shared event full[2][4], empty[2][4] = ready;
    shared s32 [1, 16] ring[2][4];
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) {
        foreach {k} in [R] {
          wait empty[0][k % 4];
          dma.copy src.subspan(1, 16).at(k, 0) => ring[0][k % 4];
          trigger full[0][k % 4];
        }
      }
      inthreads.async (p == 1) {
        foreach {k} in [R] {
          wait full[0][k % 4];
          wait empty[1][k % 4];
          dma.copy ring[0][k % 4] => ring[1][k % 4];
          trigger empty[0][k % 4];
          trigger full[1][k % 4];
        }
      }
      inthreads.async (p == 2) {
        foreach {k} in [R] {
          wait full[1][k % 4];
          dma.copy ring[1][k % 4] => dst.subspan(1, 16).at(k, 0);
          trigger empty[1][k % 4];
        }
      }
    }
  }
}
"""
LOADER = """inthreads.async (p == %d) {
        foreach {k} in [R] {
          if (k %% 2 == %d) {
            wait empty[k %% 4];
            dma.copy src.subspan(1, 16).at(k, 0) => ring[k %% 4];
            trigger full[k %% 4];
          }
        }
      }
      """
READER = """inthreads.async (p == 2) {
        foreach {k} in [R] {
          wait full[k % 4];
          dma.copy ring[k % 4] => dst.subspan(1, 16).at(k, 0);
          trigger empty[k % 4];
        }
      }
"""
HEAD = """__co__ void f(global s32 [R, 16] src, global s32 [R, 16] dst) {
  parallel b by 1 : block {
    shared event full[4], empty[4] = ready;
    shared s32 [1, 16] ring[4];
    parallel p by 3 : group-4 {
      """
IN_TURN = HEAD + LOADER % (0, 0) + LOADER % (1, 1) + READER + "    }\n  }\n}\n"
# Two slots a turn.
IN_PAIRS = (HEAD + LOADER % (0, 0) + READER + "    }\n  }\n}\n").replace("p by 3", "p by 2").replace("p == 2", "p == 1")
IN_PAIRS = IN_PAIRS.replace("[R] {", "[R / 2] {").replace("if (k % 2 == 0) {", "{")
for word in ("wait empty", "wait full", "trigger empty", "trigger full"):
    IN_PAIRS = IN_PAIRS.replace(f"{word}[k % 4];", f"{word}[2 * k % 4]; {word}[(2 * k + 1) % 4];")
IN_PAIRS = IN_PAIRS.replace("ring[k % 4]", "ring[2 * k % 4]")


def flow_of(text: str) -> KernelFlow:
    (function,) = check_text(text).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, CHECK_BUDGET)
    assert flow.findings == ()
    return flow


def left(flow: KernelFlow, event: str, path: str) -> list[tuple[int, int]]:
    (facts,) = (each for each in flow.events if each.name == event)
    return [(row.slot, row.credits) for row in wait_rows(flow, facts, path)]


def test_a_path_spends_the_credits_of_the_slots_that_it_waits_on() -> None:
    """Four in each row; from the fifth turn on each wait needs the credit that was just given back."""
    flow = flow_of(TWO_RINGS)
    assert left(flow, "empty", "path p == 0") == [(0, 3), (1, 2), (2, 1), (3, 0), (0, 0), (1, 0), (2, 0), (3, 0)]
    assert left(flow, "empty", "path p == 1") == [(4, 3), (5, 2), (6, 1), (7, 0), (4, 0), (5, 0), (6, 0), (7, 0)]
    assert [run_ahead(flow, f"path p == {p}") for p in range(3)] == [(4, "empty"), (4, "empty"), (0, "")]
    (empty,) = (each for each in flow.events if each.name == "empty")
    assert [initial_credits(flow, empty, path) for path in ("", "path p == 0", "path p == 1")] == [8, 4, 4]


def test_producers_in_turn_have_half_of_the_credits_each() -> None:
    flow = flow_of(IN_TURN)
    assert left(flow, "empty", "path p == 0") == [(0, 1), (2, 0), (0, 0), (2, 0)]
    assert left(flow, "empty", "path p == 1") == [(1, 1), (3, 0), (1, 0), (3, 0)]
    assert [run_ahead(flow, f"path p == {p}") for p in range(2)] == [(2, "empty"), (2, "empty")]


def test_a_turn_that_spends_two_credits_is_one_round() -> None:
    flow = flow_of(IN_PAIRS)
    assert left(flow, "empty", "path p == 0")[:5] == [(0, 3), (1, 2), (2, 1), (3, 0), (0, 0)]
    assert run_ahead(flow, "path p == 0") == (2, "empty")


def test_the_bit_behind_the_last_row_is_that_of_the_slot_that_comes_next() -> None:
    """Slots 0 and 2, twice each: behind the fourth wait comes the third one on slot 0, of parity 0."""
    flow = flow_of(IN_TURN)
    (empty,) = (each for each in flow.events if each.name == "empty")
    rows = wait_rows(flow, empty, "path p == 0")
    assert [row.phase_bit for row in rows] == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("slot", "shape", "text"),
    [
        (None, (2, 4), ""),
        (5, (), "[5]"),
        (5, (8,), "[5]"),
        (5, (2, 4), "[1][1]"),
        (3, (2, 4), "[0][3]"),
        (23, (2, 3, 4), "[1][2][3]"),
        (13, (2, 3, 4), "[1][0][1]"),
    ],
)
def test_a_slot_is_named_as_a_reader_writes_it(slot: int | None, shape: tuple[int, ...], text: str) -> None:
    assert subscripts(slot, shape) == text


def test_events_and_buffers_of_two_dimensions_are_named_so_everywhere() -> None:
    flow = flow_of(TWO_RINGS)
    told = [step_text(step) for step in flow.steps if step.path == "path p == 1" and step.iteration == (("k", 1),)]
    assert told[0] == "path p == 1 waits on full[0][1] for generation 0, parity 0"
    assert told[1] == "path p == 1 waits on empty[1][1] for generation 0, parity 0"
    assert "path p == 1 arrives on full[1][1]" in told
    second = stage_rows(flow, "ring", 8)[1]
    assert (second.shape, second.filled.waited, second.filled.triggered) in (
        ((2, 4), "empty[0][1]", "full[0][1]"),
        ((2, 4), "empty[1][0]", "empty[0][0]"),
    )
    (entry,) = flow_result(with_flow(check_text(TWO_RINGS), CHECK_BUDGET)).flows
    assert {box.label for box in entry.picture.boxes if box.op == "wait" and box.path == "path p == 2"} >= {
        "full[1][0]"
    }
    assert [each.shape for each in entry.events] == [(2, 4), (2, 4)]
    assert [each.shape for each in entry.buffers] == [(2, 4)]


def test_a_finding_names_both_subscripts() -> None:
    text = TWO_RINGS.replace("          trigger empty[1][k % 4];\n", "")
    report = with_flow(check_text(text), CHECK_BUDGET)
    (found,) = (each for each in report.diagnostics if each.code == "credit-deadlock")
    assert "'empty[1][0]'" in found.message
