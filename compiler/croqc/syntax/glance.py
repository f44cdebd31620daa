"""What a reading of a long text may leave as it was read before. Must not read.

An edit of one `#define` concerns every function that uses the macro, and seconds go by until all are read again. A
person asks about one of them meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqc.syntax.tree import ParsedFunction
from croqc.text.record import record
from croqc.text.span import Span


@record
class Glance:
    """Functions of these `keys` are taken over where they are written as before, whatever their macros are by now;
    those that `place` touches are read."""

    keys: frozenset[object]
    place: Span | None

    def spares(self, base: int, text: str) -> bool:
        """Whether a function that begins at an absolute offset need not be read."""
        return self.place is None or base + len(text) < self.place.start or self.place.end < base


def glance_at(place: Span | None, known: Iterable[ParsedFunction]) -> Glance:
    """`known` are the functions read before."""
    return Glance(frozenset(item.source.key for item in known), place)


def go_on() -> None:
    """What is done between two functions where nobody else wants anything."""
