"""What the back end says of constructs that it does not lower. Must not import the rest of the package."""

from __future__ import annotations

from croqc.text.span import Span


class LoweringError(Exception):
    """A construct that this back end does not lower. `span` is its place; the message says what and what to do."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


class SizesNeededError(LoweringError):
    """The construct can be lowered where sizes of the run are known: those of these `names`."""

    def __init__(self, message: str, span: Span, names: frozenset[str]) -> None:
        super().__init__(message, span)
        self.names = names


class NotRunError(LoweringError):
    """What an engine does not run, though the generated host function does, or does for other values."""


class InvalidIrError(Exception):
    """A pass left an IR that breaks its rules: a mistake of ours, never of the program."""
