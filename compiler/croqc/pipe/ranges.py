"""Between which numbers a value lies where a statement stands: by loops, conditions around it, and its own form.

Signed integers without a carry out of their type, which C leaves undefined; of all other values nothing is known. Must
not look at statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Var, integer
from croqc.text.record import record

SIGNED: Final = ("s32", "s64")


@record
class Range:
    """`low` and `high` are values that it may have; None where nothing is known."""

    low: int | None = None
    high: int | None = None

    @property
    def width(self) -> int | None:
        return None if self.low is None or self.high is None else self.high - self.low


_ANY = Range()


class Ranges:
    """`names`: what is known of names; `less`: pairs of values of which the first is below the second."""

    def __init__(self, names: Mapping[str, Range], less: Sequence[tuple[Expr, Expr]] = ()) -> None:
        self.names, self.smaller = names, less

    def of(self, expr: Expr) -> Range:
        if (number := integer(expr)) is not None:
            return Range(number, number)
        if expr.elem not in SIGNED:
            return _ANY
        match expr:
            case Var(name=name):
                return self.names.get(name, _ANY)
            case Op(op="?:", args=(cond, then, other)):
                return self._chosen(cond, then, other)
            case Op(op=op, args=(left, right)) if op in _OPERATIONS:
                found = _OPERATIONS[op](self.of(left), self.of(right))
                if op == "-" and self.less(right, left):
                    return Range(_most(found.low, 1), found.high)
                return found
            case Fn(name=name, args=(left, right), foreign=False) if name in _FUNCTIONS:
                return _FUNCTIONS[name](self.of(left), self.of(right))
            case Cast(value=value) if (value.elem, expr.elem) != ("s64", "s32"):
                return self.of(value)
        return _ANY

    def less(self, one: Expr, other: Expr) -> bool:
        """Whether a value is certainly below another."""
        if (one, other) in self.smaller:
            return True
        most, least = self.of(one).high, self.of(other).low
        if most is not None and least is not None and most < least:
            return True
        return any(self._cut(one, other, value, limit) for value, limit in self.smaller)

    def _cut(self, one: Expr, other: Expr, value: Expr, limit: Expr) -> bool:
        """`value / d * c < other` where d is c times some n, `limit` is `other` times that n, value < limit: what is
        left of the value when it is cut to whole bands of d is at most `value / n`."""
        match one:
            case Op(op="*", args=(Op(op="/", args=(divided, by)), Lit(value=int() as times))):
                pass
            case Op(op="*", args=(Lit(value=int() as times), Op(op="/", args=(divided, by)))):
                pass
            case _:
                return False
        low, least = self.of(value).low, self.of(by).low
        if divided != value or times < 1 or low is None or low < 0 or least is None or least < 1:
            return False
        bands, rows, all_ = _factors(by), _factors(other), _factors(limit)
        same = bands[1] + rows[1] == all_[1]
        return same and bands[0] * rows[0] == all_[0] * times and bands[0] % times == 0

    def _chosen(self, cond: Expr, then: Expr, other: Expr) -> Range:
        """Of `a < b ? x : y`; x or y may be the value that was compared."""
        first, second = self.of(then), self.of(other)
        for small, large in below(cond, True):
            if small == then:
                first = Range(first.low, _least(first.high, _less(self.of(large).high, 1)))
            if large == then:
                first = Range(_most(first.low, _less(self.of(small).low, -1)), first.high)
        for small, large in below(cond, False):
            if small == other:
                second = Range(second.low, _least(second.high, _less(self.of(large).high, 1)))
            if large == other:
                second = Range(_most(second.low, _less(self.of(small).low, -1)), second.high)
        return _either(first, second)


def below(cond: Expr, holds: bool) -> list[tuple[Expr, Expr]]:
    """The pairs of which a condition says, holding or not, that the first is below the second."""
    match cond:
        case Op(op="&&", args=(left, right)) if holds:
            return below(left, True) + below(right, True)
        case Op(op="||", args=(left, right)) if not holds:
            return below(left, False) + below(right, False)
        case Op(op="!", args=(inner,)):
            return below(inner, not holds)
        case Op(op="<", args=(left, right)) if holds:
            return [(left, right)]
        case Op(op=">", args=(left, right)) if holds:
            return [(right, left)]
        case Op(op=">=", args=(left, right)) if not holds:
            return [(left, right)]
        case Op(op="<=", args=(left, right)) if not holds:
            return [(right, left)]
    return []


def _factors(expr: Expr) -> tuple[int, Counter[Expr]]:
    """A product as a number and its other factors."""
    match expr:
        case Lit(value=int() as number):
            return int(number), Counter()
        case Op(op="*", args=(left, right), elem="s32" | "s64"):
            (a, some), (b, others) = _factors(left), _factors(right)
            return a * b, some + others
    return 1, Counter([expr])


# --- of operations -------------------------------------------------------------------------------


def _most(*values: int | None) -> int | None:
    """The largest of those that are known."""
    return max((value for value in values if value is not None), default=None)


def _least(*values: int | None) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _less(value: int | None, by: int) -> int | None:
    return None if value is None else value - by


def _either(one: Range, other: Range) -> Range:
    low = None if one.low is None or other.low is None else min(one.low, other.low)
    high = None if one.high is None or other.high is None else max(one.high, other.high)
    return Range(low, high)


def _sum(one: Range, other: Range) -> Range:
    low = None if one.low is None or other.low is None else one.low + other.low
    high = None if one.high is None or other.high is None else one.high + other.high
    return Range(low, high)


def _difference(one: Range, other: Range) -> Range:
    low = None if one.low is None or other.high is None else one.low - other.high
    high = None if one.high is None or other.low is None else one.high - other.low
    return Range(low, high)


def _product(one: Range, other: Range) -> Range:
    if one.low is None or other.low is None or one.low < 0 or other.low < 0:
        return _ANY
    return Range(one.low * other.low, None if one.high is None or other.high is None else one.high * other.high)


def _quotient(one: Range, other: Range) -> Range:
    if one.low is None or other.low is None or one.low < 0 or other.low < 1:
        return _ANY
    return Range(0 if other.high is None else one.low // other.high, one.high and one.high // other.low)


def _remainder(one: Range, other: Range) -> Range:
    if one.low is None or other.low is None or one.low < 0 or other.low < 1:
        return _ANY
    return Range(0, _least(one.high, _less(other.high, 1)))


def _ceiling(one: Range, other: Range) -> Range:
    if one.low is None or other.low is None or one.low < 0 or other.low < 1:
        return _ANY
    least = min(one.low, 1) if other.high is None else -(-one.low // other.high)
    return Range(least, one.high and -(-one.high // other.low))


def _smaller(one: Range, other: Range) -> Range:
    return Range(_either(one, other).low, _least(one.high, other.high))


def _larger(one: Range, other: Range) -> Range:
    return Range(_most(one.low, other.low), _either(one, other).high)


_OPERATIONS: Final[Mapping[str, Callable[[Range, Range], Range]]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    "%": _remainder,
}
_FUNCTIONS: Final[Mapping[str, Callable[[Range, Range], Range]]] = {
    "cdiv": _ceiling,
    "__min": _smaller,
    "__max": _larger,
}
