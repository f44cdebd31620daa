"""What a hang report says of an event that got too many arrivals, and of one that needs several."""

from __future__ import annotations

import numpy as np

from croqc.engines.hang import owed_by_text
from croqc.text.source import Source
from tests.sim.kernels import run

SURPLUS = """__co__ void f(global s32 [8] a) {
  parallel b by 1 : block {
    shared event full, empty = ready;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [4] {
          wait empty.at(k);
          trigger full.at(k);
        }
      }
      inthreads.async (w == 1) {
        trigger empty;
        foreach {k} in [4] {
          wait full.at(k);
          trigger empty.at(k);
        }
      }
    }
  }
}
"""
SHORT = SURPLUS.replace("event full, empty = ready", "event<2> full; shared event empty = ready").replace(
    "        trigger empty;\n", "\n"
)


def reports(text: str, seed: int) -> dict[str, tuple[int, str]]:
    """By path: the generation it waits for and who owes it."""
    result = run(text, {"a": np.zeros(8, np.int32)}, seed=seed)
    source = Source(text)
    return {item.path: (item.generation, owed_by_text(item, source, 0)) for item in result.hang}


def test_a_surplus_arrival_is_named_and_not_what_came_long_ago() -> None:
    found = reports(SURPLUS, 0)
    # The surplus `trigger` of line 12 completes generation 1 before path w == 0 has seen that 0 is complete.
    assert found["path w == 0"] == (
        0,
        "nobody: generation 1 completed, by path w == 1 in line 12, before path w == 0 had passed generation 0:"
        " the parity repeats",
    )
    assert found["path w == 1"] == (0, "path w == 0 (waits in line 7, triggers it in line 8)")


def test_an_event_of_two_arrivals_tells_how_many_came() -> None:
    assert reports(SHORT, 0) == {
        "path w == 0": (1, "path w == 1 (waits in line 14, triggers it in line 15)"),
        "path w == 1": (
            0,
            "path w == 0 (waits in line 7, triggers it in line 8); 1 of 2 arrivals came: path w == 0 in line 8",
        ),
    }
