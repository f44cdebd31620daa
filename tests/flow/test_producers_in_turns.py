"""Producers that take turns over a ring, each with slots of its own: one arrival a slot, and no accusation."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET, analyze_flow
from croqc.flow.report import Strength
from croqc.service.check import check_text

KERNEL = """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {{
  parallel g by cdiv(M, 64) : block {{
    shared event full[4], empty[4] = ready;
    shared f16 [64, 64] a_s[4];
    parallel p by 3 : group-4 {{
      inthreads.async (p < 2) {{
        {producer}
      }}
      inthreads.async (p == 2) {{
        foreach {{k}} in [{consumed}] {{
          stage = k % 4;
          wait full[stage];
          dma.copy a_s[stage] => b.subspan(64, 64).at(g, k);
          trigger empty[stage];
        }}
      }}
    }}
  }}
}}
"""
FILL = "wait empty[stage]; dma.copy a.subspan(64, 64).at(g, {index}) => a_s[stage]; trigger full[stage];"
CASES = {
    "condition": (
        "foreach {k} in [cdiv(K, 64)] { stage = k % 4; if (k % 2 == p) { " + FILL.format(index="k") + " } }",
        "cdiv(K, 64)",
        Strength.PROVED,
    ),
    "product": (
        "foreach {i} in [cdiv(K, 128)] { stage = (2 * i + p) % 4; " + FILL.format(index="2 * i + p") + " }",
        "2 * cdiv(K, 128)",
        Strength.CHECKED,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_slot_has_one_producer(name: str) -> None:
    producer, consumed, strength = CASES[name]
    (function,) = check_text(KERNEL.format(producer=producer, consumed=consumed)).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, CHECK_BUDGET)
    assert flow.findings == ()
    assert flow.strength is strength
    assert {event.name: event.arrivals for event in flow.events} == {"full": (1, 1, 1, 1), "empty": (1, 1, 1, 1)}


def test_producers_that_meet_in_a_slot_still_count_twice() -> None:
    producer = CASES["condition"][0].replace("k % 2 == p", "k % 3 == p")
    (function,) = check_text(KERNEL.format(producer=producer, consumed="cdiv(K, 64)")).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, CHECK_BUDGET)
    assert {event.name: event.arrivals for event in flow.events}["full"] == (2, 2, 2, 2)
