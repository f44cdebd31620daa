"""Intervals that hold the values of symbolic integers. Must not know the language."""

from __future__ import annotations

from collections.abc import Mapping

from croqc.sema.symbolic import Int, Part

Interval = tuple[int | None, int | None]


def bounds(a: Int, env: Mapping[str, Interval]) -> Interval:
    """An interval, both ends included, that holds `a` when each symbol lies in its interval; None is open."""
    low: int | None = 0
    high: int | None = 0
    for monomial, factor in a.terms:
        span: Interval = (factor, factor)
        for atom in monomial:
            span = _times(span, env.get(atom, (None, None)) if isinstance(atom, str) else _part_bounds(atom, env))
        low = None if low is None or span[0] is None else low + span[0]
        high = None if high is None or span[1] is None else high + span[1]
    return low, high


def _times(a: Interval, b: Interval) -> Interval:
    if a == (0, 0) or b == (0, 0):
        return 0, 0
    ends = (*a, *b)
    if None not in ends:
        products = [x * y for x in a if x is not None for y in b if y is not None]
        return min(products), max(products)
    if (a[0] is not None and a[0] >= 0) and (b[0] is not None and b[0] >= 0):
        return a[0] * b[0], None
    if a[0] is not None and a[0] == a[1]:  # a constant times a half-open interval
        low, high = (None if end is None else a[0] * end for end in b)
        return (low, high) if a[0] > 0 else (high, low)
    return None, None


def _part_bounds(part: Part, env: Mapping[str, Interval]) -> Interval:
    a, b = bounds(part.a, env), bounds(part.b, env)
    if part.op == "*":
        return _times(a, b)
    if b[0] is None or b[0] < 1:
        return None, None
    if part.op in ("%", "rem"):
        if a[0] is not None and a[0] >= 0 and a[1] is not None and a[1] < b[0]:
            return a
        most = None if b[1] is None else b[1] - 1
        if part.op == "%" or (a[0] is not None and a[0] >= 0):
            return 0, most
        return None if most is None else -most, most
    if part.op == "quot":  # down where it is not negative, up where it is
        ups = [end is not None and end < 0 for end in a]
        return _quotient_end(a[0], b, ups[0], False), _quotient_end(a[1], b, ups[1], True)
    up = part.op == "cdiv"
    return _quotient_end(a[0], b, up, False), _quotient_end(a[1], b, up, True)


def _quotient_end(end: int | None, by: Interval, up: bool, upper: bool) -> int | None:
    """The extreme quotient of one end of the dividend; `up` rounds up."""
    if end is None:
        return None
    widest = by[0] if (end >= 0) == upper else by[1]
    if widest is None:  # divided by something arbitrarily large
        return (1 if up and end > 0 else 0) if end >= 0 else (0 if up else -1)
    return -(-end // widest) if up else end // widest
