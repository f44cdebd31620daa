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
