"""The delta of two lists of numbers makes the second of the first, and is no longer than it must be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from croqls.ide.token_delta import Replaced, difference

NUMBERS = st.lists(st.integers(0, 3), max_size=12)


@given(NUMBERS, NUMBERS)
def test_applying_the_difference_makes_the_new_list(old: list[int], new: list[int]) -> None:
    found = difference(old, new)
    if found is None:
        assert old == new
        return
    assert old[: found.start] + list(found.data) + old[found.start + found.delete :] == new
    assert old != new


def test_only_what_changed_is_sent() -> None:
    assert difference([1, 2, 3, 4], [1, 9, 9, 4]) == Replaced(1, 2, (9, 9))
    assert difference([1, 2], [1, 2, 5]) == Replaced(2, 0, (5,))
    assert difference([1, 1, 1], [1, 1]) == Replaced(2, 1, ())
