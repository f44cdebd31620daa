"""A text with its line index and the column units of LSP. Must not read files."""

from __future__ import annotations

from bisect import bisect_right
from enum import Enum
from functools import cached_property
from itertools import accumulate

from croqc.text.record import record
from croqc.text.span import Span


class Encoding(Enum):
    """Column units that a client may negotiate (LSP 3.17, `PositionEncodingKind`)."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


@record(order=True)
class Position:
    """A place as LSP counts it: line and column, both from 0, the column in the encoding's units."""

    line: int
    column: int


def _units(text: str, encoding: Encoding) -> int:
    if encoding is Encoding.UTF32 or text.isascii():
        return len(text)
    if encoding is Encoding.UTF16:
        return len(text) + sum(ch > "\uffff" for ch in text)
    return len(text.encode("utf-8", "surrogatepass"))


@record(eq=False)
class Source:
    """Text of one file; offsets are code points. Lines end at LF, CRLF or CR (LSP `TextDocument`)."""

    text: str
    path: str = "<text>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        starts, text = [0], self.text
        if "\r" not in text:
            return tuple(accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))
        for index, char in enumerate(text):
            if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
                starts.append(index + 1)
        return tuple(starts)

    def line_of(self, offset: int) -> int:
        """The line, from 0, that holds the offset; the first or last line for places outside the text."""
        return max(bisect_right(self.line_starts, offset) - 1, 0)

    def line_text(self, line: int) -> str:
        """The line without its line end; empty outside the text."""
        if not 0 <= line < len(self.line_starts):
            return ""
        start = self.line_starts[line]
        end = self.line_starts[line + 1] if line + 1 < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def position(self, offset: int, encoding: Encoding = Encoding.UTF16) -> Position:
        """The position of an offset, clamped to the text; inside a CRLF it is the end of the line."""
        line = self.line_of(offset)
        before = self.line_text(line)[: max(offset - self.line_starts[line], 0)]
        return Position(line, _units(before, encoding))

    def offset(self, position: Position, encoding: Encoding = Encoding.UTF16) -> int:
        """The offset of a position; places outside the text are clamped to it, as LSP asks."""
        if position.line < 0:
            return 0
        if position.line >= len(self.line_starts):
            return len(self.text)
        start, line = self.line_starts[position.line], self.line_text(position.line)
        if encoding is Encoding.UTF32 or line.isascii():
            return start + min(max(position.column, 0), len(line))
        used = 0
        for index, char in enumerate(line):
            if used >= position.column:
                return start + index
            used += _units(char, encoding)
        return start + len(line)

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column as messages print them: both from 1, the column in characters."""
        place = self.position(offset, Encoding.UTF32)
        return place.line + 1, place.column + 1

    def slice(self, span: Span) -> str:
        return self.text[max(span.start, 0) : max(span.end, 0)]

    @cached_property
    def newline(self) -> str:
        """The line end that the file uses first (LF where it has none); edits write the same."""
        if len(self.line_starts) == 1:
            return "\n"
        first = self.text[: self.line_starts[1]]
        return first[len(first.rstrip("\r\n")) :]
