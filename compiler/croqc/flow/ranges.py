"""Ranges of numbers, both ends included, and what operators make of them. Must not know nodes or types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croqc.sema.integers import quotient

Range = tuple[int, int]
TRUTH: Final[Range] = (0, 1)
ANY: Final[Range] = (-(1 << 64), 1 << 64)
"""Beyond what any type holds."""
_SHIFTS: Final = 64  # beyond which nothing is left


def joined(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), max(a[1], b[1])


def within(a: Range, b: Range) -> bool:
    return b[0] <= a[0] and a[1] <= b[1]


def combined(op: str, a: Range, b: Range, whole: Range) -> Range:
    """What an arithmetic operator comes to; `whole` where that is not followed."""
    found = _FOUND.get(op)
    return (found(a, b) if found else None) or whole


def compared(op: str, a: Range, b: Range) -> bool | None:
    """What a comparison comes to, whatever the numbers are; None where that hangs on them, or `op` is none."""
    if op in (">", ">="):
        return compared("<" if op == ">" else "<=", b, a)
    if op in ("==", "!="):
        apart = a[1] < b[0] or b[1] < a[0]
        return op == "!=" if apart else (op == "==" if a == b and a[0] == a[1] else None)
    if op not in ("<", "<="):
        return None
    if a[1] < b[0] or (op == "<=" and a[1] == b[0]):
        return True
    return False if a[0] > b[1] or (op == "<" and a[0] == b[1]) else None


def _hull(of: Callable[[int, int], int], a: Range, b: Range) -> Range:
    ends = [of(x, y) for x in a for y in b]
    return min(ends), max(ends)


def _divided(a: Range, b: Range) -> Range | None:
    """Rounded towards zero; a divisor of 0 is none."""
    by = (b[0] or 1, b[1] or -1)
    if by[0] > by[1]:
        return None
    divisors = {*by, *(one for one in (1, -1) if b[0] <= one <= b[1])}
    ends = [quotient(x, y) for x in a for y in divisors]
    if b[0] <= 0 <= b[1] or a[0] <= 0 <= a[1]:
        ends.append(0)
    return min(ends), max(ends)


def _rounded_up(a: Range, b: Range) -> Range | None:
    if b[0] < 1:
        return None
    return _hull(lambda x, y: -(-x // y), a, b)


def _rest(a: Range, b: Range) -> Range | None:
    """Of the sign of the first one, and smaller than the second one."""
    most = max(abs(b[0]), abs(b[1])) - 1
    if most < 0:
        return None
    low = 0 if a[0] >= 0 else max(a[0], -most)
    return low, 0 if a[1] <= 0 else min(a[1], most)


def _both(a: Range, b: Range) -> Range | None:
    """The bits of both."""
    if a[0] >= 0 and b[0] >= 0:
        return 0, min(a[1], b[1])
    least = [one[1] for one in (a, b) if one[0] >= 0]
    return (0, least[0]) if least else None


def _either(a: Range, b: Range) -> Range | None:
    """The bits of one of them at least, or of just one."""
    if a[0] < 0 or b[0] < 0:
        return None
    return 0, (1 << max(a[1], b[1]).bit_length()) - 1


def _shifted(a: Range, b: Range) -> Range | None:
    if b[0] < 0 or b[1] > _SHIFTS:
        return None
    return _hull(lambda x, y: x << y, a, b)


def _shifted_back(a: Range, b: Range) -> Range | None:
    if b[0] < 0 or b[1] > _SHIFTS:
        return None
    return _hull(lambda x, y: x >> y, a, b)


_FOUND: Final[dict[str, Callable[[Range, Range], Range | None]]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": lambda a, b: _hull(lambda x, y: x * y, a, b),
    "/": _divided,
    "%": _rest,
    "cdiv": _rounded_up,
    "&": _both,
    "|": _either,
    "^": _either,
    "<<": _shifted,
    ">>": _shifted_back,
}
