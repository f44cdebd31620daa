"""Edits: application, order, overlap, bad spans, and a reference that works one edit at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croqc.text.edits import Edit, apply_edits, overlaps
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
