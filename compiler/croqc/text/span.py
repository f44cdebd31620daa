"""Half-open ranges of source text. Must not know lines, columns or encodings (see `source`)."""

from __future__ import annotations

from croqc.text.record import record


@record(order=True)
class Span:
    """Code-point offsets `[start, end)`.

    Inside a function's tree, offsets are relative to that function's `__co__` word, so that an edit
    elsewhere leaves the tree valid; everything per file is absolute. `shift` converts.
    """

    start: int
    end: int

    def shift(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)

    def cover(self, other: Span) -> Span:
        return Span(min(self.start, other.start), max(self.end, other.end))

    def contains(self, offset: int) -> bool:
        return self.start <= offset < self.end

    def touches(self, offset: int) -> bool:
        """As `contains`, but the end counts too: where an editor's cursor stands behind a word."""
        return self.start <= offset <= self.end

    @property
    def length(self) -> int:
        return self.end - self.start


NOWHERE = Span(0, 0)
