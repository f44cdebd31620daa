"""Credits that are lost one by one: each tile of a persistent loop takes one more than comes back, so that a run hangs
only after as many tiles as there are credits."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET
from tests.flow.pipes import Verdict, check

LOAD = "dma.copy src.subspan(1, 1, 128).at(t, k, 0).span_as([128]) => x[it % {0}];"
TAKE = "parallel h by 128 : thread {{ dst.at(t, k, h) = x[it % {0}].at(h); }}"


def tiles(given: str, taken: str, slots: int, behind: str = "") -> Verdict:
    """The loops of both roles stand in a loop of tiles of their own."""
    text = f"""__co__ void f(global s32 [J, C, 128] src, s32 [J, C, 128]& dst) {{
      assert(C >= 2, "two");
      parallel b by 1 : block {{
        shared event full[{slots}], empty[{slots}] = ready; shared s32 [128] x[{slots}];
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{
            mutable int it = 0;
            foreach {{t}} in [J] {{ foreach {{k}} in [{given}] {{
              wait empty.at(it); {LOAD.format(slots)} trigger full.at(it); it += 1;
            }} }}
          }}
          inthreads.async (p == 1) {{
            mutable int it = 0;
            foreach {{t}} in [J] {{
              foreach {{k}} in [{taken}] {{ wait full.at(it); {TAKE.format(slots)} trigger empty.at(it); it += 1; }}
              {behind}
            }}
          }}
        }}
      }}
    }}"""
    return check(text, CHECK_BUDGET)


@pytest.mark.parametrize("slots", [2, 4])
def test_one_credit_a_tile_is_missed_in_the_end(slots: int) -> None:
    found = tiles("C", "C - 1", slots)
    assert found.rules == ["trip-count-mismatch"]
    args = found.seen[0].finding.args
    assert (args["long"], args["more"] - args["fewer"], args["deadlock"]) == ("path p == 0", 1, True)
    assert found.seen[0].finding.sizes["J"] > slots


def test_what_is_taken_behind_the_loop_makes_up_for_it() -> None:
    found = tiles("C", "C - 1", 2, "wait full.at(it); trigger empty.at(it); it += 1;")
    assert found.rules == []


def test_equal_loops_are_proved() -> None:
    assert (tiles("C", "C", 3).rules, tiles("C", "C", 3).strength) == ([], "proved")
