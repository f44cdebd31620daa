"""Phrases of the credit-flow rules."""

from __future__ import annotations

import pytest

from croqc.rules.credit_words import ordinal
from tests.rules.mending import instead, shown
from tests.rules.pumps import BOOTSTRAP, CURRENT, RING

ENGLISH = {1: "first", 2: "second", 3: "third", 4: "4th", 10: "10th", 11: "11th", 12: "12th", 13: "13th"}
ENGLISH |= {20: "20th", 21: "21st", 22: "22nd", 23: "23rd", 31: "31st", 101: "101st", 111: "111th", 112: "112th"}


@pytest.mark.parametrize("number", ENGLISH)
def test_ordinals_end_as_in_english(number: int) -> None:
    assert ordinal(number) == ENGLISH[number]


def test_the_twenty_first_wait_is_called_so() -> None:
    """Two slots: waits 0, 2 .. 38 of slot 0 are twenty, and the order jumps by one round at k = 40, the next one."""
    (item,) = shown(instead(CURRENT, "wait empty.at(k)", "wait empty.at(k + k / 40 * 2)"))
    assert "this is the 21st wait" in item.message


def test_a_hang_at_some_sizes_names_one() -> None:
    """At 1007 columns and at 2007 a credit is not given back; at all others it is. Without credits at start no size
    works, so that naming one says nothing."""
    (item,) = shown(instead(RING, "trigger empty[k % 2];", "if (K % 1000 != 7) { trigger empty[k % 2]; }"))
    assert (item.code, item.message.rsplit(" (", 1)[1]) == ("credit-deadlock", "K = 1007, k = 2)")
    (item,) = shown(instead(RING, BOOTSTRAP, ""))
    assert (item.code, item.message.rsplit(" (", 1)[1]) == ("credit-deadlock", "k = 0)")


TILE = """__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] tile;
    shared event full;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach k in [cdiv(K, 64)] { dma.copy src.subspan(16, 64).at(b, k) => tile; trigger full; }
      }
      inthreads.async (w == 1) {
        foreach k in [cdiv(K, 64)] { wait full; dma.copy tile => dst.subspan(16, 64).at(b, k); }
      }
    }
  }
}
"""
WRITE, READ = "dma.copy src.subspan(16, 64).at(b, k) => tile;", "dma.copy tile => dst.subspan(16, 64).at(b, k);"


def stage_race(text: str) -> str:
    return next(one.hint for one in shown(text) if one.code == "stage-race")


def test_a_buffer_without_a_ring_has_no_slots_to_speak_of() -> None:
    assert stage_race(TILE) == "wait until path w == 1 has read it"
    both = TILE.replace(READ, WRITE).replace("wait full; ", "").replace("trigger full; ", "")
    both = both.replace("    shared event full;\n", "")
    assert stage_race(both) == "give each path a part of its own, or let one wait for the other"
