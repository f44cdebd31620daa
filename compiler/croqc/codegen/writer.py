"""Lines of generated text with the places of the source that they come from. Must not know C++ or the IR."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from croqc.text.record import record
from croqc.text.span import NOWHERE, Span

_STEP = "  "


@record
class Line:
    """`span`: the statement of the source, relative to its function; NOWHERE for lines that none stands for.
    `passed`: C++ of the file itself, passed through."""

    text: str
    span: Span = NOWHERE
    passed: bool = False


class Writer:
    """Collects lines; `at` sets the place for the lines that follow inside a block."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._depth = 0
        self._span = NOWHERE

    @property
    def place(self) -> Span:
        """The place of the lines that come next; after an error, of the statement that raised it."""
        return self._span

    def line(self, text: str = "", passed: bool = False) -> None:
        self.lines.append(Line(_STEP * self._depth + text if text else "", self._span, passed))

    @contextmanager
    def at(self, span: Span) -> Iterator[None]:
        before, self._span = self._span, span
        yield
        self._span = before

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """`head {`, indented lines, `}`."""
        self.line(f"{head} {{" if head else "{")
        self._depth += 1
        yield
        self._depth -= 1
        self.line("}")

    @contextmanager
    def indented(self) -> Iterator[None]:
        self._depth += 1
        yield
        self._depth -= 1
