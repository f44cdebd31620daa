"""Expressions of the host, such as the extents of a grid, as numbers. Must not know memory.

What the generated host function computes: every operation has its type, in which integers wrap and floats are rounded
(reference, 3.1), and floats divide as IEEE 754 has it.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping

from croqc.pipe.build.scalars import wrapped
from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Var
from croqc.pipe.facts import Number
from croqc.sema.elements import ELEMENTS, INTEGERS
from croqc.sema.integers import COMPARISONS, quotient, remainder

_OPERATORS: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    **COMPARISONS,
    "&": lambda a, b: int(a) & int(b),
    "|": lambda a, b: int(a) | int(b),
    "^": lambda a, b: int(a) ^ int(b),
}
_SHIFTS: dict[str, Callable[[int, int], int]] = {"<<": operator.lshift, ">>": operator.rshift}
_UNARY: dict[str, Callable[[Number], Number]] = {
    "-": operator.neg,
    "!": operator.not_,
    "~": lambda a: ~int(a),
}
_FUNCTIONS: dict[str, Callable[[int, int], int]] = {"cdiv": lambda a, b: -(-a // b), "__min": min, "__max": max}
_PACKED = {"f32": "f", "tf32": "f", "f16": "e"}


class UncomputedError(ValueError):
    """A function that the generated host code computes, and this does not; `name` is its."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the value of '{name}' is not known at the launch")
        self.name = name


def evaluate(expr: Expr, sizes: Mapping[str, Number]) -> int:
    """The integer value of an expression over sizes. Raises ValueError for what the host cannot know."""
    return int(value_of(expr, sizes))


def cut(value: Number, elem: str) -> Number:
    """A number as a value of an element type: integers wrap, floats are rounded. Raises ValueError where an integer
    type has no such value."""
    if elem == "bool":
        return bool(value)
    if elem in INTEGERS:
        if not math.isfinite(value):
            raise ValueError(f"{value} has no value as {elem}")
        return wrapped(int(value), elem)
    form = _PACKED.get(elem)
    if form is None:
        return float(value)
    try:
        return float(struct.unpack(form, struct.pack(form, value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def value_of(expr: Expr, sizes: Mapping[str, Number]) -> Number:
    """The value of an expression. Raises ValueError for what the host cannot know or C leaves open, UncomputedError,
    ZeroDivisionError."""
    match expr:
        case Lit(value=value, elem=elem):
            return cut(value, elem) if isinstance(value, float) else value
        case Var(name=name) if name in sizes:
            return sizes[name]
        case Cast(value=value, elem=elem):
            return cut(value_of(value, sizes), elem)
        case Op(elem=elem):
            return cut(_operation(expr, sizes), elem)
        case Fn(name=name, args=(left, right), elem=elem) if name in _FUNCTIONS and elem in INTEGERS:
            return cut(_FUNCTIONS[name](int(value_of(left, sizes)), int(value_of(right, sizes))), elem)
        case Fn(name=name):
            raise UncomputedError(name)
    raise ValueError("this value is not known at the launch")


def _operation(expr: Op, sizes: Mapping[str, Number]) -> Number:
    """As C has it: what does not decide is not evaluated."""
    match expr.op, expr.args:
        case "?:", (test, then, other):
            return value_of(then if value_of(test, sizes) else other, sizes)
        case "&&", (left, right):
            return bool(value_of(left, sizes)) and bool(value_of(right, sizes))
        case "||", (left, right):
            return bool(value_of(left, sizes)) or bool(value_of(right, sizes))
        case op, (only,):
            return _UNARY[op](value_of(only, sizes))
        case "/" | "%" as op, (left, right):
            return _divided(op, value_of(left, sizes), value_of(right, sizes), expr.elem)
        case "<<" | ">>" as op, (left, right):
            return _shifted(op, int(value_of(left, sizes)), int(value_of(right, sizes)), expr.elem)
        case op, (left, right):
            return _OPERATORS[op](value_of(left, sizes), value_of(right, sizes))
    raise AssertionError(f"no operator {expr.op}")


def _divided(op: str, left: Number, right: Number, elem: str) -> Number:
    """As C divides: integers towards zero, floats by zero too."""
    if ELEMENTS[elem].kind == "float":
        if right:
            return left / right
        same_sign = math.copysign(1, left) == math.copysign(1, right)
        return math.nan if not left or math.isnan(left) else math.inf if same_sign else -math.inf
    return quotient(int(left), int(right)) if op == "/" else remainder(int(left), int(right))


def _shifted(op: str, left: int, by: int, elem: str) -> int:
    """C knows counts below the width of what is shifted, which it widens to 32 bits."""
    width = max(ELEMENTS[elem].bits, 32)
    if not 0 <= by < width:
        raise ValueError(f"a shift by {by} has no value: the count must be from 0 to {width - 1}")
    return _SHIFTS[op](left, by)
