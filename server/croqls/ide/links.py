"""Places of a document as Markdown links. Must not know LSP types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from croqc.text.source import Source
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class Places:
    """Spans relative to `base` in a document."""

    uri: str
    source: Source
    base: int

    def lines(self, spans: Iterable[Span]) -> str:
        """ "line 27" or "lines 27, 31", each number a link."""
        numbers = sorted({self.source.line_column(span.start + self.base)[0] for span in spans})
        linked = ", ".join(f"[{number}]({self.uri}#L{number})" for number in numbers)
        return f"line{'' if len(numbers) == 1 else 's'} {linked}"
