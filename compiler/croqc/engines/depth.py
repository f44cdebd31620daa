"""Room for deep expressions: a sum of hundreds of terms, as macros and generators write it. Must not change results."""

from __future__ import annotations

import sys
from typing import Final

_FRAMES: Final = 6_000
"""Sums of some 900 terms. Frames of Python itself take none of the stack of C, the calls between them little."""

TOO_MANY_INSIDE: Final = (
    "an expression here has too many operations inside each other: give parts of it names, as variables"
)


def make_room() -> None:
    """Lets this process go deeper than Python does by itself; what is still too deep raises RecursionError."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
