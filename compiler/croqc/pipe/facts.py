"""What is known of the sizes of a launch: their divisors. Must not know statements.

A kernel is compiled for facts, not for sizes: `K % 64 == 0` serves every such K. The host checks them at the launch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd, lcm

from croqc.pipe.exprs import Expr, Fn, Lit, Op, Var, add, integer, multiply
from croqc.text.record import record

Number = int | float | bool

LARGEST = 256
"""Divisors beyond it decide nothing: no tile dimension of a tensor map is longer."""


_NONE: Mapping[str, tuple[Expr, ...]] = {}


def whole_sizes(sizes: Mapping[str, Number]) -> dict[str, int]:
    """Those that can be extents: integers, and no truth values."""
    return {name: value for name, value in sizes.items() if type(value) is int}


@record
class Facts:
    """`divisors`: for each size the largest power of two up to `LARGEST` that divides it. `sums`: for each variable
    that keeps its value what that is a sum of multiples of. `relied`: the divisors that a question was answered with,
    filled while passes ask; a kernel is right for sizes that have these. `found`: those of variables, powers of two as
    well, for these survive a value that is cut to its type; `traced`: which of them were relied on."""

    divisors: Mapping[str, int]
    sums: Mapping[str, tuple[Expr, ...]]
    relied: dict[str, int]
    found: dict[str, int]
    traced: set[tuple[str, int]]

    @staticmethod
    def of(sizes: Mapping[str, Number], sums: Mapping[str, tuple[Expr, ...]] = _NONE) -> Facts:
        """Those of the integers among the sizes."""
        known = whole_sizes(sizes)
        divisors = {name: gcd(value, LARGEST) if value else LARGEST for name, value in known.items()}
        return Facts(divisors, sums, {}, {}, set())

    def divisor(self, value: Expr) -> int:
        """A number that certainly divides an integer expression; 0 divides like every number."""
        match value:
            case Lit(value=int() as number):
                return abs(number) if number else 0
            case Var(name=name):
                return self.divisors[name] if name in self.divisors else self._of_variable(name)
            case Op(op="<<", args=(left, Lit(value=int() as places))) if 0 <= places < 32:
                return self.divisor(left) << places
            case Op(op="*", args=(left, right)):
                return self.divisor(left) * self.divisor(right)
            case Op(op="+" | "-", args=(left, right)):
                return gcd(self.divisor(left), self.divisor(right))
        return 1

    def _of_variable(self, name: str) -> int:
        if name not in self.found:
            self.found[name] = 1  # until it is known: a variable that is made of itself
            self.found[name] = gcd(LARGEST, *map(self.divisor, self.sums[name])) if name in self.sums else 1
        return self.found[name]

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
        """Whether a number certainly divides an expression; a yes is noted for the sizes that it hangs on."""
        return self.divide(((number, value),))

    def divide(self, pairs: Iterable[tuple[int, Expr]]) -> bool:
        """The same of several numbers and expressions; noted only where all of it holds."""
        asked = tuple(pairs)
        if any(self.divisor(value) % number for number, value in asked):
            return False
        for number, value in asked:
            self._note(number, value)
        return True

    def _note(self, number: int, value: Expr) -> None:
        if number == 1:
            return
        match value:
            case Var(name=name) if name in self.divisors:
                self.relied[name] = lcm(self.relied.get(name, 1), number)
            case Var(name=name) if name in self.sums and (name, number) not in self.traced:
                self.traced.add((name, number))
                for each in self.sums[name]:
                    self._note(number, each)
            case Op(op="<<", args=(left, Lit(value=int() as places))) if 0 <= places < 32:
                self._note(number // gcd(number, 1 << places), left)
            case Op(op="*", args=(left, right)):
                part = gcd(
                    number, self.divisor(left) if isinstance(left, Lit) else number // gcd(number, self.divisor(right))
                )
                self._note(part, left)
                self._note(number // part, right)
            case Op(op="+" | "-", args=(left, right)):
                self._note(number, left)
                self._note(number, right)

    def noted(self) -> tuple[tuple[str, int], ...]:
        return tuple(sorted(self.relied.items()))
