"""Edits: application, order, overlap, bad spans, and a reference that works one edit at a time."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from croqc.text.edits import Edit, apply_edits, compose, overlaps
from croqc.text.span import Span


def edit(start: int, end: int, text: str = "") -> Edit:
    return Edit(Span(start, end), text)


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text and edits that do not overlap, in the order of their places."""
    text = draw(st.text(alphabet="abc\n", max_size=20))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return text, [edit(start, end, draw(st.text(alphabet="XY", max_size=3))) for start, end in pairs]


@given(texts_with_edits())
def test_edits_in_any_order_agree_with_one_at_a_time_from_the_back(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    expected = text
    for one in reversed(edits):
        expected = expected[: one.span.start] + one.new_text + expected[one.span.end :]
    from_the_back = sorted(edits, key=lambda one: -one.span.start)
    assert not overlaps(from_the_back)
    assert apply_edits(text, edits) == apply_edits(text, from_the_back) == expected


def test_no_edit_no_change() -> None:
    assert apply_edits("abc", []) == "abc"


def test_spans_refer_to_the_text_before() -> None:
    assert apply_edits("abcdef", [edit(4, 5, "Y"), edit(0, 2, "long")]) == "longcdYf"


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply_edits("ab", [edit(1, 1, "z"), edit(1, 1, "y"), edit(1, 1, "x")]) == "azyxb"


def test_an_insertion_before_and_behind_a_replacement_is_no_overlap() -> None:
    edits = [edit(1, 3, "R"), edit(3, 3, ">"), edit(1, 1, "<")]
    assert not overlaps(edits)
    assert apply_edits("abcd", edits) == "a<R>d"


def test_neighbours_do_not_overlap() -> None:
    assert apply_edits("abcd", [edit(0, 2, "1"), edit(2, 4, "2")]) == "12"


@pytest.mark.parametrize(
    "edits",
    [
        [edit(0, 3, "x"), edit(2, 4, "y")],
        [edit(2, 4, "y"), edit(0, 3, "x")],
        [edit(0, 4), edit(1, 2)],
        [edit(0, 4), edit(2, 2, "in the middle")],
        [edit(1, 2, "same"), edit(1, 2, "same")],
    ],
)
def test_overlapping_edits_are_refused(edits: list[Edit]) -> None:
    assert overlaps(edits)
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcdef", edits)


@pytest.mark.parametrize("bad", [edit(2, 7), edit(7, 7, "x"), edit(3, 2, "x")])
def test_a_span_that_is_not_in_the_text_is_refused(bad: Edit) -> None:
    with pytest.raises(ValueError, match="outside"):
        apply_edits("abcdef", [bad])


def test_a_negative_span_is_refused() -> None:
    with pytest.raises(ValueError, match="edit"):
        apply_edits("abcdef", [edit(-1, 2, "x")])


def test_shift_keeps_the_new_text() -> None:
    assert edit(1, 2, "x").shift(5) == edit(6, 7, "x")


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        # an insertion, and another one behind it, whose place refers to the text after the first
        ([Edit(Span(2, 2), "xy")], [Edit(Span(6, 6), "z")], (Edit(Span(2, 2), "xy"), Edit(Span(4, 4), "z"))),
        # part of what was inserted goes again, with a character of the text
        ([Edit(Span(2, 2), "xy")], [Edit(Span(3, 5), "")], (Edit(Span(2, 3), "x"),)),
        # a removal across what was removed before
        ([Edit(Span(2, 4), "")], [Edit(Span(1, 3), "")], (Edit(Span(1, 5), ""),)),
        # in front of an insertion at the same place
        ([Edit(Span(3, 3), "x")], [Edit(Span(3, 3), "y")], (Edit(Span(3, 3), "yx"),)),
        ([], [Edit(Span(0, 1), "x")], (Edit(Span(0, 1), "x"),)),
    ],
)
def test_edits_one_after_the_other_are_composed(first: list[Edit], second: list[Edit], whole: tuple[Edit, ...]) -> None:
    assert compose(first, second) == whole
    assert apply_edits("abcdef", whole) == apply_edits(apply_edits("abcdef", first), second)


_SPANS = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda ends: Span(min(ends), max(ends)))
_EDITS = st.lists(st.builds(Edit, _SPANS, st.sampled_from(["", "x", "yz"])), max_size=3).filter(
    lambda edits: not overlaps(edits)
)


@given(_EDITS, _EDITS)
def test_composed_edits_do_what_both_do(first: list[Edit], second: list[Edit]) -> None:
    between = apply_edits("abcdefgh", first)
    assume(all(edit.span.end <= len(between) for edit in second))
    assert apply_edits("abcdefgh", compose(first, second)) == apply_edits(between, second)


def test_edits_that_overlap_are_not_composed() -> None:
    with pytest.raises(ValueError, match="overlap"):
        compose([Edit(Span(0, 2), ""), Edit(Span(1, 3), "")], [])
