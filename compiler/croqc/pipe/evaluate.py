"""Expressions of the host, such as the extents of a grid, as numbers. Must not know memory."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Var
from croqc.pipe.facts import Number
from croqc.sema.integers import COMPARISONS, quotient, remainder

_OPERATORS: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: quotient(int(a), int(b)),
    "%": lambda a, b: remainder(int(a), int(b)),
    **COMPARISONS,
    "&&": lambda a, b: bool(a and b),
    "||": lambda a, b: bool(a or b),
}
_FUNCTIONS: dict[str, Callable[[int, int], int]] = {"cdiv": lambda a, b: -(-a // b), "__min": min, "__max": max}


def evaluate(expr: Expr, sizes: Mapping[str, Number]) -> int:
    """The integer value of an expression over sizes. Raises ValueError for what the host cannot know."""
    return int(_value(expr, sizes))


def _value(expr: Expr, sizes: Mapping[str, Number]) -> Number:
    match expr:
        case Lit(value=value):
            return value
        case Var(name=name) if name in sizes:
            return sizes[name]
        case Cast(value=value):
            return _value(value, sizes)
        case Op(op="-", args=(only,)):
            return -_value(only, sizes)
        case Op(op=op, args=(left, right)) if op in _OPERATORS:
            return _OPERATORS[op](_value(left, sizes), _value(right, sizes))
        case Fn(name=name, args=(left, right)) if name in _FUNCTIONS:
            return _FUNCTIONS[name](int(_value(left, sizes)), int(_value(right, sizes)))
    raise ValueError("this value is not known at the launch")
