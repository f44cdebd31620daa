"""How a value goes on as a loop index or a size grows: where it repeats, and where it no longer changes its mind.

Must not evaluate (see `exprs`) or know programs.
"""

from __future__ import annotations

from math import lcm
from typing import Final

from croqc.flow.exprs import COMPARE, FLOOR, Expr

_PERIODIC: Final = 16  # bits of integers whose values are seen to come again


class Course:
    """How an expression goes on when one variable grows: `period` where it repeats, None where it grows too.

    `scale`: for one that grows, after how many steps of the variable it moves by a whole number.
    `bounds`: constants that the growing variable is compared with; behind the largest one nothing changes.
    `plain`: no comparison with anything but constants was met.
    """

    __slots__ = ("bounds", "period", "plain", "scale")

    def __init__(
        self, period: int | None = 1, scale: int = 1, bounds: tuple[int, ...] = (), plain: bool = True
    ) -> None:
        self.period = period
        self.scale = scale
        self.bounds = bounds
        self.plain = plain


def course(expr: Expr, slot: int) -> Course:
    """The course of an expression in the variable `slot`."""
    if expr.op == "v":
        return Course(None if expr.value == slot else 1)
    if not expr.args:
        return Course()
    parts = [course(arg, slot) for arg in expr.args]
    bounds = tuple(bound for part in parts for bound in part.bounds)
    plain = all(part.plain for part in parts)
    growing = [part for part in parts if part.period is None]
    if not growing:
        return Course(lcm(*(part.period or 1 for part in parts)), 1, bounds, plain)
    scale = lcm(*(part.scale for part in parts), *(part.period or 1 for part in parts))
    by = expr.args[-1].const
    if expr.op == "cut" and abs(expr.value) <= _PERIODIC:
        return Course(scale << abs(expr.value), 1, bounds, plain)
    if expr.op in COMPARE:
        return _compared(expr, parts, scale, bounds, plain)
    if expr.op == "cut" or (expr.op in ("/", "%") and expr.value != FLOOR and is_signed(expr.args[0])):
        # Rounded towards zero, or cut to many bits: where it changes its sign, the steps are not as before.
        bounds = (*bounds, (_offset(expr.args[0]) + 1) * scale)
        plain = plain and expr.args[0].variables() == {slot}
    if expr.op == "%" and by:
        return Course(scale * abs(by), 1, bounds, plain)
    if expr.op == "&" and by is not None and by > 0 and by & (by + 1) == 0:
        return Course(scale * (by + 1), 1, bounds, plain)
    if expr.op in ("/", "cdiv") and by:
        return Course(None, scale * abs(by), bounds, plain)
    if expr.op in ("+", "-", "*", "neg", "cut"):
        return Course(None, scale, bounds, plain)
    return Course(None, scale, bounds, plain=False)


def is_signed(expr: Expr) -> bool:
    """Whether a value may be negative, of variables that are not."""
    return any(each.op in ("-", "neg", "~") or (each.op == "k" and each.value < 0) for each in expr.walk())


def _offset(expr: Expr) -> int:
    """Beyond which value of its variable, counted in steps that move it, a value keeps its sign."""
    return sum(abs(each.value) for each in expr.walk() if each.op == "k")


def _start(expr: Expr) -> int:
    """Where a value is 0: a value of its variable, as `(n - 3) / 4` is at 3. Of one variable, in which it is linear."""
    if not expr.args or expr.op not in ("+", "-", "*", "/", "cdiv"):
        return 0
    left, right = expr.args
    if expr.op == "+" and left.const is not None:
        left, right = right, left
    if expr.op in ("+", "-") and right.const is not None:
        moved = right.const * _step(left)
        return _start(left) + (moved if expr.op == "-" else -moved)
    return _start(right if left.const is not None else left)


def _step(expr: Expr) -> int:
    """How far the variable goes for one step of a value."""
    if not expr.args:
        return 1
    by = expr.args[-1].const
    return _step(expr.args[0]) * (abs(by) if expr.op in ("/", "cdiv") and by else 1)


def _compared(expr: Expr, parts: list[Course], scale: int, bounds: tuple[int, ...], plain: bool) -> Course:
    """A comparison settles once the variable has passed the other side; only a constant side says when."""
    for place, other in ((0, 1), (1, 0)):
        limit = expr.args[other].const
        if limit is not None and parts[place].period is None:
            side, start = parts[place], _start(expr.args[place])
            turns = (limit * side.scale + start, (limit + 1) * side.scale + start)
            return Course(1, 1, (*bounds, (abs(limit) + 1) * scale, *(turn for turn in turns if turn > 0)), plain)
    period = lcm(*(part.period or 1 for part in parts))
    return Course(period, 1, bounds, plain=False)
