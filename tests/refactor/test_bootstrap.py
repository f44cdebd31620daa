"""Which bootstraps become `= ready`, and the true reason for each that does not."""

import pytest

from croqc.service.check import check_text
from croqc.service.migrate import migrate

KERNEL = """__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] ring[2];
    shared event full[2], empty[2], spare[2];
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2];
          dma.copy src.subspan(16, 64).at(b, k) => ring[k % 2];
          trigger full[k % 2];
        }
      }
      inthreads.async (w == 1) {
        // the start
        BODY
        foreach {k} in [cdiv(K, 64)] {
          wait full[k % 2];
          dma.copy ring[k % 2] => dst.subspan(16, 64).at(b, k);
          trigger empty[k % 2];
        }
      }
    }
  }
}
"""
STARTED = KERNEL.replace("        BODY\n", "").replace("empty[2],", "empty[2] = ready,")


@pytest.mark.parametrize(
    "start",
    [
        "foreach {s} in [2] { trigger empty[s]; }",
        "foreach s in [2] trigger empty[s];",
        "foreach s in [2] { trigger empty[s]; }",
        "foreach s in 2 trigger empty[s];",
        "foreach {s} in [2] { trigger empty[1 - s]; }",
        "with {s} in [2] { foreach s { trigger empty[s]; } }",
        "with s in 2 { foreach t = s trigger empty[t]; }",
        "trigger empty[1], empty[0];",
    ],
)
def test_one_credit_a_slot_in_whatever_way_it_is_written(start: str) -> None:
    result = migrate(check_text(KERNEL.replace("BODY", start)))
    assert [item.message for item in result.kept if "bootstrap" in item.message] == []
    # By then the slots are counted by order, which the text with `= ready` is migrated to, too.
    assert result.text == migrate(check_text(STARTED)).text


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ("foreach {s} in [4] { trigger empty[s % 2]; }", "'empty[0]' is started more than once in one region"),
        ("trigger empty[0]; foreach s in 2 trigger empty[s];", "'empty[0]' is started more than once in one region"),
        ("foreach {s} in [1] trigger empty[s];", "not every path that gives 'empty' back starts all its slots"),
        ("foreach s in [1] trigger empty[s];", "not every path that gives 'empty' back starts all its slots"),
        ("foreach {s} in [2] { t = s; trigger empty[t]; }", "the loop that starts 'empty' does something else, too"),
        ("foreach {s} in [2] { trigger empty[s], spare[s]; }", "the trigger starts several events at once"),
        (
            "foreach {s, t} in [2, 1] { trigger empty[s]; }",
            "the loop that starts 'empty' is not a plain one over its slots",
        ),
        (
            "if (b == 0) { foreach {s} in [2] { trigger empty[s]; } }",
            "the start stands under a condition or a loop of its own",
        ),
    ],
)
def test_the_true_reason_where_it_stays(start: str, reason: str) -> None:
    result = migrate(check_text(KERNEL.replace("BODY", start)))
    assert f"the bootstrap stays: {reason}" in [item.message for item in result.kept]
    assert "= ready" not in result.text


def test_a_start_under_two_first_rounds_goes_there_and_back() -> None:
    """`= ready` to the course's loop under `if (i == 0 && j == 0)`, and back to `= ready`."""
    current = """__co__ void pump(global f16 [K] x, global f16 [K] y) {
  parallel b by 1 : block {
    shared f16 [64] ring;
    shared event full, empty = ready;
    parallel w by 2 : group-4 {
      foreach {i} in [2] foreach {j} in [3] {
        inthreads.async (w == 0) {
          wait empty;
          dma.copy x.subspan(64).at(i) => ring;
          trigger full;
        }
        inthreads.async (w == 1) {
          wait full;
          dma.copy ring => y.subspan(64).at(i);
          trigger empty;
        }
      }
    }
  }
}
"""
    course = migrate(check_text(current), "course").text
    assert "if (i == 0 && j == 0) {" in course and "= ready" not in course
    assert "empty = ready;" in migrate(check_text(course)).text
