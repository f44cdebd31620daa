"""Verdicts of the version before, moved: before the edit they stay, behind it they shift, inside it they go."""

from __future__ import annotations

import random

from croqc.text.diagnostics import Diagnostic, Fix, Related, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span
from croqls.ide.carry import Move, carry

OLD = "aaa bbb ccc ddd"


def found(*spans: tuple[int, int]) -> tuple[Diagnostic, ...]:
    fix = Fix("mend", (Edit(Span(0, 1), ""),))
    return tuple(Diagnostic("credit-deadlock", Severity.ERROR, "m", Span(*span), fixes=(fix,)) for span in spans)


def spans(items: tuple[Diagnostic, ...]) -> list[tuple[int, int]]:
    return [(item.span.start, item.span.end) for item in items]


def test_an_insertion_in_the_middle() -> None:
    carried = carry(found((0, 3), (4, 7), (8, 11)), OLD, "aaa bbbXX ccc ddd")
    assert spans(carried) == [(0, 3), (4, 7), (10, 13)]
    assert all(item.fixes == () for item in carried)


def test_what_was_edited_is_dropped() -> None:
    assert spans(carry(found((0, 3), (4, 7), (8, 11)), OLD, "aaa bXb ccc ddd")) == [(0, 3), (8, 11)]
    assert (
        spans(
            carry(
                found(
                    (4, 11),
                ),
                OLD,
                "aaa bbb ddd",
            )
        )
        == []
    )


def test_a_deletion_before() -> None:
    assert spans(carry(found((8, 11)), OLD, "bbb ccc ddd")) == [(4, 7)]


def test_no_change_keeps_all() -> None:
    assert spans(carry(found((0, 15)), OLD, OLD)) == [(0, 15)]


def test_related_places_move_and_edited_ones_go() -> None:
    item = Diagnostic(
        "credit-deadlock",
        Severity.ERROR,
        "m",
        Span(12, 15),
        related=(Related("here", Span(4, 7)), Related("there", Span(8, 11)), Related("far", Span(4, 7), "b.co")),
    )
    (carried,) = carry((item,), OLD, "aaa bXXXb ccc ddd")
    assert [(other.span.start, other.span.end, other.path) for other in carried.related] == [
        (10, 13, None),
        (4, 7, "b.co"),
    ]


def test_what_two_texts_share_is_found_as_by_looking_at_each_character() -> None:
    draw = random.Random(3)
    for _ in range(2000):
        old, new = ("".join(draw.choices("ab", k=draw.randint(0, 9))) for _ in range(2))
        move = Move(old, new)
        start = 0
        while start < min(len(old), len(new)) and old[start] == new[start]:
            start += 1
        end = 0
        while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
            end += 1
        assert (move.start, move.end, move.by) == (start, len(old) - end, len(new) - len(old)), (old, new)
