"""Verdicts of the version before, moved to where they belong in this one, until its own are there.

A verdict whose own range was edited is dropped: better none for a moment than one at the wrong place. Pure.
"""

from __future__ import annotations

from croqc.text.diagnostics import Diagnostic, Related
from croqc.text.record import replace
from croqc.text.span import Span


class Move:
    """The change from one text to another as one replaced stretch: what both texts share at either end stays."""

    def __init__(self, old: str, new: str) -> None:
        limit = min(len(old), len(new))
        start = 0
        while start < limit and old[start] == new[start]:
            start += 1
        tail = 0
        while tail < limit - start and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        self.start, self.end = start, len(old) - tail
        self.by = len(new) - len(old)

    def span(self, span: Span) -> Span | None:
        """Where a span of the old text stands in the new one; None if the edit touched it."""
        if span.end <= self.start:
            return span
        if span.start >= self.end:
            return span.shift(self.by)
        return None


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
