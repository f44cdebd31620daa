"""What is known of the sizes of a launch: their divisors. Must not know statements.

A kernel is compiled for facts, not for sizes: `K % 64 == 0` serves every such K. The host checks them at the launch.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from croqc.pipe.exprs import Expr, Fn, Lit, Op, Var, add, integer, multiply
from croqc.text.record import record

LARGEST = 256
"""Divisors beyond it decide nothing: no tile dimension of a tensor map is longer."""


@record
class Facts:
    """`divisors`: for each size the largest power of two up to `LARGEST` that divides it."""

    divisors: Mapping[str, int]

    @staticmethod
    def of(sizes: Mapping[str, int | float | bool]) -> Facts:
        """Those of the integers among the sizes."""
        whole = {name: value for name, value in sizes.items() if type(value) is int}
        return Facts({name: gcd(value, LARGEST) if value else LARGEST for name, value in whole.items()})

    def divisor(self, value: Expr) -> int:
        """A number that certainly divides an integer expression; 0 divides like every number."""
        match value:
            case Lit(value=int() as number):
                return abs(number) if number else 0
            case Var(name=name):
                return self.divisors.get(name, 1)
            case Op(op="*", args=(left, right)):
                return self.divisor(left) * self.divisor(right)
            case Op(op="+" | "-", args=(left, right)):
                return gcd(self.divisor(left), self.divisor(right))
        return 1

    def simplified(self, value: Expr) -> Expr:
        """`x / cdiv(x, n)` is n where n divides x: the extent of a chunk that is a whole tile."""
        match value:
            case Op(op="/", args=(whole, Fn(name="cdiv", args=(inner, size)))) if whole == inner:
                number = integer(size)
                if number and self.divides(number, whole):
                    return size
            case Op(op="*", args=(left, right)):
                return multiply(self.simplified(left), self.simplified(right))
            case Op(op="+", args=(left, right)):
                return add(self.simplified(left), self.simplified(right))
        return value

    def divides(self, number: int, value: Expr) -> bool:
        return self.divisor(value) % number == 0
