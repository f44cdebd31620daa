"""Verdicts of the version before, moved to where they belong in this one, until its own are there.

A verdict whose own range was edited is dropped: better none for a moment than one at the wrong place. Pure.
"""

from __future__ import annotations

from collections.abc import Callable

from croqc.text.diagnostics import Diagnostic, Related
from croqc.text.edits import Edit
from croqc.text.record import replace
from croqc.text.span import Span


class Move:
    """The change from one text to another as one replaced stretch: what both texts share at either end stays."""

    def __init__(self, old: str, new: str) -> None:
        limit = min(len(old), len(new))
        self.start = _longest(limit, lambda a, b: old[a:b] == new[a:b])
        self.by = len(new) - len(old)
        above, ahead = len(old), len(new)
        tail = _longest(limit - self.start, lambda a, b: old[above - b : above - a] == new[ahead - b : ahead - a])
        self.end = above - tail

    def span(self, span: Span) -> Span | None:
        """Where a span of the old text stands in the new one; None if the edit touched it."""
        if span.end <= self.start:
            return span
        if span.start >= self.end:
            return span.shift(self.by)
        return None


def difference(old: str, new: str) -> Edit:
    """The smallest single edit that makes one text of another: cursors and marks beside it stay."""
    move = Move(old, new)
    return Edit(Span(move.start, move.end), new[move.start : move.end + move.by])


def _longest(limit: int, same: Callable[[int, int], bool]) -> int:
    """How far two texts agree; `same` compares stretches, which costs a thousandth of single characters: all of the
    text is gone through at each edit."""
    known = 0
    while known < limit:
        middle = (known + limit + 1) // 2
        if same(known, middle):
            known = middle
        else:
            limit = middle - 1
    return known


def carry(diagnostics: tuple[Diagnostic, ...], old: str, new: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of `old` that still have a place in `new`; fixes are left out, for they were made for `old`."""
    move = Move(old, new)
    kept = []
    for item in diagnostics:
        span = move.span(item.span)
        if span is not None:
            related = tuple(moved for other in item.related if (moved := _related(other, move)) is not None)
            kept.append(replace(item, span=span, related=related, fixes=()))
    return tuple(kept)


def _related(item: Related, move: Move) -> Related | None:
    if item.path is not None:
        return item
    span = move.span(item.span)
    return None if span is None else replace(item, span=span)
