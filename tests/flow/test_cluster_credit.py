"""Blocks of a cluster are called checked only where a credit that crosses holds them together: each cell of the table
was worked out by hand, and the simulator runs those that are told apart."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.flow.analysis import CHECK_BUDGET, analyze_flow
from croqc.flow.report import KernelFlow, Strength
from croqc.service.check import check_text
from tests.sim.kernels import run

RING = """__co__ void f(global s32 [9, 32] x, global s32 [2, 9, 32] y) {{
  parallel c by 2 : cluster, b by 1 : block {{
    shared event full[2], empty[2]{ready};
    shared s32 [1, 32] ring[2];
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [9] {{
          wait empty[k % 2];
          {copy}
          {give} full[k % 2];
        }}
      }}
      inthreads.async (w == 1) {{
        {start}
        foreach {{k}} in [9] {{
          wait full[k % 2];
          dma.copy ring[k % 2] => y.subspan(1, 1, 32).at(c, k, 0).span_as(1, 32);
          {back} empty[k % 2];
        }}
      }}
    }}
  }}
}}
"""
OWN = "tma.copy.async<full[k % 2]> x.subspan(1, 32).at(k, 0) => ring[k % 2];"
HALF = "tma.copy.async<full[k % 2]>.multicast x.subspan(1, 16).at(k, c) => ring[k % 2].subspan(1, 16).at(0, c);"
WHOLE = "tma.copy.async<full[k % 2]>.multicast x.subspan(1, 32).at(k, 0) => ring[k % 2];"
APART = "tma.copy.async<full[k % 2]>.multicast x.subspan(1, 32).at(k - k % 2 + c, 0) => ring[k % 2];"
CROSSING, PLAIN = "trigger.cluster", "trigger"
HELD = "nothing holds the blocks of the cluster together here: a block can "
ARRIVES = HELD + "arrive in another one before that one has completed the generation before"
WRITES = HELD + "write into another one before that one has given the slot back"
MEETS = "every block of the cluster writes this part in all of them, each with data of its own"
ALIKE = "one block of the cluster was run, and the others are taken to do alike"


def ring(copy: str, give: str, back: str, ready: bool = True) -> str:
    start = "" if ready else f"foreach {{s}} in [2] {{ {back} empty[s]; }}"
    return RING.format(copy=copy, give=give, back=back, start=start, ready=" = ready" if ready else "")


def flow_of(text: str) -> KernelFlow:
    (function,) = check_text(text).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, CHECK_BUDGET)
    return flow


def is_right(text: str) -> bool:
    """Whether both blocks have all rows, whatever the schedule."""
    x = np.arange(9 * 32, dtype=np.int32).reshape(9, 32)
    for seed in range(12):
        result = run(text, {"x": x.copy(), "y": np.zeros((2, 9, 32), np.int32)}, seed=seed)
        if not result.outputs or not all((block == x).all() for block in result.outputs["y"]):
            return False
    return True


TABLE = [
    (OWN, PLAIN, CROSSING, ALIKE),
    (OWN, CROSSING, PLAIN, ARRIVES),  # the neighbour's own tile may still be on its way: its generation is not complete
    (OWN, CROSSING, CROSSING, ALIKE),
    (HALF, PLAIN, PLAIN, WRITES),
    (HALF, CROSSING, PLAIN, WRITES),
    (HALF, CROSSING, CROSSING, ALIKE),
    (WHOLE, CROSSING, PLAIN, WRITES),
    (WHOLE, CROSSING, CROSSING, ALIKE),  # both write the same over the same
    (APART, CROSSING, CROSSING, MEETS),
]


@pytest.mark.parametrize("ready", [True, False])
@pytest.mark.parametrize(("copy", "give", "back", "reason"), TABLE)
def test_a_ring_over_two_blocks(copy: str, give: str, back: str, reason: str, ready: bool) -> None:
    text = ring(copy, give, back, ready)
    flow = flow_of(text)
    strength = Strength.CHECKED if reason == ALIKE else Strength.UNKNOWN
    assert (flow.findings, flow.strength, flow.reason) == ((), strength, reason)
    assert is_right(text) == (reason == ALIKE)


@pytest.mark.parametrize(
    ("copy", "back", "place"),
    [(OWN, PLAIN, "trigger.cluster full[k % 2];"), (HALF, PLAIN, HALF), (APART, CROSSING, APART)],
)
def test_the_place_is_where_a_block_gives(copy: str, back: str, place: str) -> None:
    text = ring(copy, CROSSING, back)
    flow = flow_of(text)
    assert flow.place is not None
    origin = text.index("__co__")
    assert text[origin + flow.place.start : origin + flow.place.end] == place


def test_a_fault_inside_the_block_is_told_first() -> None:
    text = ring(HALF, CROSSING, PLAIN).replace("          wait empty[k % 2];\n", "")
    assert [each.rule for each in flow_of(text).findings] == ["stage-race"]


def test_slots_that_are_filled_once_need_no_credit() -> None:
    """Nine slots for nine tiles: nobody writes or arrives a second time."""
    text = ring(HALF, CROSSING, PLAIN).replace("% 2]", "% 9]").replace("ring[2]", "ring[9]").replace("[2]", "[9]")
    flow = flow_of(text)
    assert (flow.findings, flow.strength, flow.reason) == ((), Strength.CHECKED, ALIKE)


def test_credits_that_cross_by_another_path_count() -> None:
    """A third path takes the neighbours' credit and passes it on inside its block."""
    text = ring(HALF, CROSSING, CROSSING, ready=False)
    text = text.replace("parallel w by 2", "parallel w by 3").replace("empty[2];", "empty[2], room[2];")
    text = text.replace("wait empty[k % 2];", "wait room[k % 2];")
    passing = "inthreads.async (w == 2) { foreach {k} in [9] { wait empty[k % 2]; trigger room[k % 2]; } }\n      "
    text = text.replace("inthreads.async (w == 1)", passing + "inthreads.async (w == 1)")
    flow = flow_of(text)
    assert (flow.findings, flow.strength, flow.reason) == ((), Strength.CHECKED, ALIKE)
    kept = flow_of(text.replace("trigger.cluster empty", "trigger empty"))
    assert (kept.findings, kept.strength, kept.reason) == ((), Strength.UNKNOWN, WRITES)


def test_turns_of_long_loops_that_are_left_out_change_nothing() -> None:
    for back, reason in ((CROSSING, ALIKE), (PLAIN, WRITES)):
        flow = flow_of(ring(HALF, CROSSING, back).replace("[9]", "[9000]"))
        assert (flow.findings, flow.reason) == ((), reason)
