"""Operators on integers as C and the language have them (reference, 3.2). Must not know symbols or expressions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

COMPARISONS: Final[Mapping[str, Callable[[int | float, int | float], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def quotient(a: int, b: int) -> int:
    """`a / b`, rounded towards zero. Raises ZeroDivisionError."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    """`a % b`, which has the sign of `a`. Raises ZeroDivisionError."""
    return a - quotient(a, b) * b
