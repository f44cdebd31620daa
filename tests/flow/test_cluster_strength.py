"""A kernel whose blocks write each other's buffers is never called proved: one block is followed."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET, analyze_flow
from croqc.flow.report import KernelFlow, Strength
from croqc.service.check import check_text

KERNEL = """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {{
  parallel g by cdiv(M, 128) : block {{
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] a_s[2];
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          wait empty.at(k);
          h = tma.copy.async{modifier} a.subspan(64, 64).at(g, k) => a_s[k % 2];
          trigger full.at(k) after h;
        }}
      }}
      inthreads.async (w == 1) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          wait full.at(k);
          dma.copy a_s[k % 2] => b.subspan(64, 64).at(g, k);
          trigger empty.at(k);
        }}
      }}
    }}
  }}
}}
"""


@pytest.mark.parametrize(("modifier", "strength"), [("", Strength.PROVED), (".multicast", Strength.CHECKED)])
def test_multicast_is_checked_at_most(modifier: str, strength: Strength) -> None:
    (function,) = check_text(KERNEL.format(modifier=modifier)).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model)
    assert (flow.findings, flow.strength) == ((), strength)


CREDITS = """__co__ void f(global f16 [R, C] src, global f16 [R, C] dst) {{
  parallel cl by 2 : cluster, b by cdiv(R, 8) : block {{
    shared f16 [4, 64] ring[2];
    shared event full[2], empty[2] = ready;
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0{role}) {{
        foreach {{k}} in [{turns}] {{
          wait empty[k % 2];
          tma.copy src.subspan(4, 64).at(b * 2 + cl, k) => ring[{slot}];
          trigger full[k % 2];
        }}
      }}
      inthreads.async (w == 1) {{
        foreach {{k}} in [{turns}] {{
          wait full[k % 2];
          {store} dma.copy ring[{slot}] => dst.subspan(4, 64).at(b * 2 + cl, k);
          {guard} {give} empty[k % 2];
        }}
      }}
    }}
  }}
}}
"""
PLAIN = {"role": "", "turns": "cdiv(C, 64)", "slot": "k % 2", "store": "", "guard": "", "give": "trigger.cluster"}
APART = "what the blocks of a cluster do for each other depends on their rank here"


def credits_flow(**parts: str) -> KernelFlow:
    (function,) = check_text(CREDITS.format(**{**PLAIN, **parts})).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, CHECK_BUDGET)
    return flow


@pytest.mark.parametrize(
    "parts",
    [
        {"turns": "cdiv(C, 64) - cl * 5"},
        {"guard": "if (cl == 0 || k < 4)"},
        {"guard": "if (k % 2 == cl) { } else"},
        {"guard": "if (cl == 1 && k == 3) { break; }"},
        {"role": " && cl == 0"},
        {"slot": "(k + cl) % 2"},
    ],
)
def test_blocks_that_go_apart_by_their_rank_are_not_analysed(parts: dict[str, str]) -> None:
    """Each of them gets credits that its neighbour gives or does not give; only one of the two is followed."""
    flow = credits_flow(**parts)
    assert (flow.strength, flow.reason, flow.findings) == (Strength.UNKNOWN, APART, ())
    assert flow.place is not None


@pytest.mark.parametrize("parts", [{}, {"store": "if (cl == 0)"}, {"store": "if (cl == 0 || k < 4)"}])
def test_blocks_that_give_alike_are_checked(parts: dict[str, str]) -> None:
    """Which tile of the tensors a block takes, and whether it stores one, is its own affair."""
    flow = credits_flow(**parts)
    assert (flow.strength, flow.findings) == (Strength.CHECKED, ())
    assert flow.reason == "one block of the cluster was run, and the others are taken to do alike"


def test_blocks_that_give_each_other_nothing_may_go_apart() -> None:
    assert credits_flow(turns="cdiv(C, 64) - cl * 5", give="trigger").strength is Strength.CHECKED


SHARES = """__co__ void f(global f32 [N, 64] w, global f32 [N, 64] y) {{
  parallel c by 2 : cluster {{
    parallel i by cdiv(N, 64) : block {{
      shared f32 [{rows}, 64] a;
      shared event full{turns};
      parallel p by 4 : group {{
        inthreads.async (p == 0) {{ {load} }}
        inthreads.async (p == 1) {{ {use} }}
      }}
    }}
  }}
}}
"""
HALF = "tma.copy.async<full>.multicast w.subspan(32, 64).at(i * 2 + c, 0) => a.subspan(32, 64).at(c, 0);"


def shares_flow(rows: int, load: str, use: str, turns: str = "") -> KernelFlow:
    (function,) = check_text(SHARES.format(rows=rows, load=load, use=use, turns=turns)).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, CHECK_BUDGET)
    return flow


def test_parts_that_the_blocks_load_for_each_other_are_one_whole() -> None:
    """Each rank fills one half in both blocks: together they fill what is read."""
    copy = "tma.copy a => y.subspan(64, 64).at(i, 0);"
    flow = shares_flow(64, f"{HALF} trigger.cluster full;", f"wait full; {copy}")
    assert (flow.strength, flow.findings) == (Strength.CHECKED, ())


def test_a_read_in_front_of_such_parts_is_found() -> None:
    copy = "tma.copy a => y.subspan(64, 64).at(i, 0);"
    flow = shares_flow(64, f"{HALF} trigger.cluster full;", f"{copy} wait full;")
    assert flow.strength is Strength.FAILS


def test_parts_of_a_ring_in_one_buffer_that_follow_a_rank_are_not_taken_for_slots() -> None:
    half = "a.subspan(32, 64).at((k % 2) * 2 + c, 0)"
    load = f"foreach k in [2] {{ tma.copy.async<full[k]>.multicast w.subspan(32, 64).at(i * 2 + c, 0) => {half};"
    use = "foreach k in [2] { wait full[k]; tma.copy a.subspan(64, 64).at(k, 0) => y.subspan(64, 64).at(i, 0); }"
    flow = shares_flow(128, f"{load} trigger.cluster full[k]; }}", use, "[2]")
    assert (flow.strength, flow.reason, flow.findings) == (Strength.UNKNOWN, APART, ())
