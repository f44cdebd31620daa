"""Roles that count their turns apart, and an event array shorter than its ring: the way out names the cause."""

from __future__ import annotations

import pytest

from croqc.service.fix import fix_text
from tests.rules.mending import instead, report_of, second, shown

PERSISTENT = """__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by 5 : block {
    shared f16 [16, 64] ring[3];
    shared event full[3], empty[3] = ready;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        mutable int tile = b;
        mutable int turn = 0;
        while (tile < cdiv(M, 16)) {
          foreach {k} in [cdiv(K, 64)] {
            wait empty[turn % 3];
            fa = tma.load.async src.subspan(16, 64).at(tile, k) => ring[turn % 3];
            trigger full[turn % 3] after fa;
            turn += 1;
          }
          tile += 5;
        }
      }
      inthreads.async (w == 1) {
        mutable int tile = b;
        mutable int turn = 0;
        while (tile < cdiv(M, 16)) {
          foreach {k} in [cdiv(K, 64)] {
            wait full[turn % 3];
            dma.copy ring[turn % 3] => dst.subspan(16, 64).at(tile, k);
            trigger empty[turn % 3];
            turn += 1;
          }
          tile += 5;
        }
      }
    }
  }
}
"""
SHORT = """__co__ void pump(global f16 [16, K] src, global f16 [16, K] dst) {
  parallel b by 1 : block {
    shared f16 [16, 64] ring[3];
    shared event %s, empty[3] = ready;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty.at(k);
          fa = tma.load.async src.subspan(16, 64).at(0, k) => ring[k % 3];
          trigger full.at(k) after fa;
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(K, 64)] {
          wait full.at(k);
          dma.copy ring[k % 3] => dst.subspan(16, 64).at(0, k);
          trigger empty.at(k);
        }
      }
    }
  }
}
"""
LATE = instead(PERSISTENT, "            turn += 1;\n          }\n", "          }\n          turn += 1;\n", 1)
APART = "each role counts its turns itself: let both count alike"
OWN, OTHERS = "only the role that waits counts so", "only the role that triggers counts so"


def told(text: str) -> tuple[str, set[tuple[str, str]]]:
    """The hint of the first deadlock, and the changes of counters that it names with the text they stand at."""
    item = next(one for one in shown(text) if one.code == "credit-deadlock")
    named = {(one.message, text[one.span.start : one.span.end]) for one in item.related if "counts so" in one.message}
    return item.hint, named


def test_the_kernel_itself_is_right() -> None:
    assert shown(PERSISTENT) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (second(PERSISTENT, "          tile += 5;\n", ""), {"tile += 5;"}),
        (second(PERSISTENT, "16)) {\n", "16)) {\n          turn = 0;\n"), {"turn = 0;"}),
        (
            second(PERSISTENT, "tile < cdiv(M, 16)", "tile <= cdiv(M, 16)"),
            {"tile < cdiv(M, 16)", "tile <= cdiv(M, 16)"},
        ),
        (LATE, {"turn += 1;"}),
    ],
)
def test_counters_that_part_are_named_where_they_do(text: str, named: set[str]) -> None:
    hint, places = told(text)
    assert hint == APART
    assert {place for _, place in places} == named
    assert {what for what, _ in places} <= {OWN, OTHERS}


def test_roles_that_count_alike_are_told_nothing_of_counters() -> None:
    alike = instead(PERSISTENT, "trigger empty[turn % 3];", "if (k > 0) { trigger empty[turn % 3]; }")
    hint, places = told(alike)
    assert hint != APART
    assert places == set()


def test_an_event_array_shorter_than_its_ring_is_made_as_long() -> None:
    broken = instead(SHORT, "%s", "full[2]")
    (item,) = [one for one in shown(broken) if one.code == "credit-overrun"]
    assert item.hint == "give 'full' the 3 slots that its ring has: 2 are too few"
    fixed = fix_text(report_of(broken), lambda text, _: report_of(text))
    assert fixed.text == instead(SHORT, "%s", "full[3]")
