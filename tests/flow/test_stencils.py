"""A consumer that looks at several slots at once makes fewer turns than its producer: that is no mistake by itself."""

from __future__ import annotations

import pytest

from tests.flow.pipes import Verdict, check

ROW = "src.subspan(1, 128).at(k, 0).span_as([128])"
LOAD = f"wait empty[k % {{0}}]; dma.copy {ROW} => x[k % {{0}}]; trigger full[k % {{0}}];"
SUM = "dst.at(k + 1, t) = x[k % {0}].at(t) + x[(k + 1) % {0}].at(t) + x[(k + 2) % {0}].at(t);"


def rows(back: str, slots: int = 3, least: int = 3, turns: str = "C - 2") -> Verdict:
    """A stencil over three rows; `back`: the slot that a turn gives back."""
    work = SUM.format(slots)
    return check(f"""__co__ void f(global s32 [C, 128] src, s32 [C, 128]& dst) {{
      assert(C >= {least}, "rows");
      parallel b by 1 : block {{
        shared event full[{slots}], empty[{slots}] = ready; shared s32 [128] x[{slots}];
        parallel p by 2 : group-4 {{
          inthreads.async (p == 0) {{
            foreach {{k}} in [C] {{ {LOAD.format(slots)} }}
          }}
          inthreads.async (p == 1) {{
            wait full[0]; wait full[1];
            foreach {{k}} in [{turns}] {{
              wait full[(k + 2) % {slots}];
              parallel t by 128 : thread {{ {work} }}
              trigger empty[{back} % {slots}];
            }}
          }}
        }}
      }}
    }}""")


def test_the_right_one_is_proved() -> None:
    assert (rows("k").rules, rows("k").strength) == ([], "proved")


def test_a_slot_given_back_too_far_is_not_laid_to_the_number_of_turns() -> None:
    (found,) = rows("(k + 1)").seen
    args = found.finding.args
    assert found.rule == "credit-deadlock"
    assert (args["path"], args["event"], args["slot"], args["owing"]) == ("path p == 0", "empty", 0, ("path p == 1",))


def test_turns_that_fall_short_of_the_credits_are() -> None:
    """Three credits at start and C - 4 that come back are one too few for C."""
    (found,) = rows("k", least=5, turns="C - 4").seen
    args = found.finding.args
    assert (found.rule, args["deadlock"], args["more"] - args["fewer"]) == ("trip-count-mismatch", True, 4)


@pytest.mark.parametrize("slots", [3, 4])
def test_a_slot_that_the_producer_never_fills_is_owed_data_and_no_credit(slots: int) -> None:
    (found,) = rows("k", slots, least=1).seen
    args = found.finding.args
    assert (found.rule, args["cause"], args["event"], args["slot"]) == ("credit-deadlock", "ended", "full", 1)
    assert (args["generation"], found.finding.sizes) == (0, {"C": 1})
