"""Conditions over the sizes of a kernel, as pure data. Must not look at a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from croqc.sema.symbolic import Int
from croqc.text.record import record

Env = Mapping[str, int]
COMPARE: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@record
class Constraint:
    """A condition over the sizes `names`; `text` completes "no sizes make …".

    A `wish` is given up where nothing fulfils it: that one statement writes all of an output, when several may.
    """

    names: frozenset[str]
    holds: Callable[[Env], bool]
    text: str
    wish: bool = False


def relation(left: Int, op: str, right: Int, text: str, wish: bool = False) -> Constraint:
    """`left op right`; where one side has no value, the condition holds."""

    def holds(env: Env) -> bool:
        a, b = left.evaluate(env), right.evaluate(env)
        return a is None or b is None or COMPARE[op](a, b)

    return Constraint(left.names() | right.names(), holds, text, wish)


def divides(value: Int, by: Int, text: str) -> Constraint:
    """`value` is a multiple of `by`."""

    def holds(env: Env) -> bool:
        a, b = value.evaluate(env), by.evaluate(env)
        return a is None or b is None or (b > 0 and a % b == 0)

    return Constraint(value.names() | by.names(), holds, text)
