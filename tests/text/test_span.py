"""Spans: half-open ranges and what they hold."""

import pytest

from croqc.text.span import NOWHERE, Span


@pytest.mark.parametrize(
    ("offset", "contained", "touched"),
    [(2, False, False), (3, True, True), (6, True, True), (7, False, True), (8, False, False)],
)
def test_the_end_is_touched_but_not_contained(offset: int, contained: bool, touched: bool) -> None:
    span = Span(3, 7)
    assert (span.contains(offset), span.touches(offset)) == (contained, touched)


def test_an_empty_span_contains_nothing_and_touches_its_place() -> None:
    assert not Span(4, 4).contains(4)
    assert Span(4, 4).touches(4)
    assert Span(4, 4).length == 0


def test_cover_spans_both_whatever_the_order() -> None:
    assert Span(1, 3).cover(Span(8, 9)) == Span(1, 9)
    assert Span(8, 9).cover(Span(1, 3)) == Span(1, 9)
    assert Span(1, 9).cover(Span(2, 3)) == Span(1, 9)


def test_shift_there_and_back() -> None:
    assert Span(2, 5).shift(10) == Span(12, 15)
    assert Span(2, 5).shift(10).shift(-10) == Span(2, 5)


def test_spans_sort_by_start_then_end() -> None:
    assert sorted([Span(2, 9), Span(2, 3), NOWHERE]) == [Span(0, 0), Span(2, 3), Span(2, 9)]
