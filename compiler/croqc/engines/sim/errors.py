"""What ends a simulation early. Must not format places: whoever shows it knows the text."""

from __future__ import annotations

from croqc.text.span import NOWHERE, Span


class SimError(Exception):
    """A run cannot go on: a failed assertion, an element out of range, a construct that is not simulated.

    `span` is relative to the function's `__co__`. `unsupported`: the construct, not the program, is the reason,
    and another engine may run it.
    """

    def __init__(self, message: str, span: Span = NOWHERE, *, unsupported: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.unsupported = unsupported

    def at(self, span: Span) -> SimError:
        """This error, at a place if it has none of its own."""
        if self.span == NOWHERE:
            self.span = span
        return self


class StepLimitError(SimError):
    """The step budget is used up; the statement that took the last step is the place."""
