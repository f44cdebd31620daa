"""Which threads take a branch in one run: the first block, given turns of the loops, sizes as large as one likes.

A size stands for many: what holds for all large ones holds in some run. Must not report.
"""

from __future__ import annotations

from collections.abc import Mapping

from croqc.sema.integers import COMPARISONS
from croqc.sema.intervals import bounds
from croqc.sema.masks import Mask, defining_value, mask_of
from croqc.sema.model import SymbolKind
from croqc.sema.shared_elements import Elements
from croqc.sema.symbolic import Int
from croqc.syntax import ast

_MAX_DEPTH = 80  # conditions nested deeper are not evaluated
_ORDERS = ("<", "<=", ">", ">=")


class Branches:
    def __init__(self, elements: Elements) -> None:
        self.elements, self.builder, self.kernel = elements, elements.builder, elements.kernel

    def taken(self, cond: ast.Node, turns: Mapping[str, Int], depth: int = 0) -> Mask | None:
        """The threads for which a condition holds; None where that hangs on what is not followed."""
        if depth > _MAX_DEPTH:
            return None
        match cond:
            case ast.Paren(inner=inner):
                return self.taken(inner, turns, depth + 1)
            case ast.Const(word="true" | "false" as word):
                return self.kernel.whole() if word == "true" else 0
            case ast.Unary(op="!", operand=operand):
                inside = self.taken(operand, turns, depth + 1)
                return None if inside is None else self.kernel.whole() & ~inside
            case ast.Binary(op="&&" | "||" as op, left=left, right=right):
                sides = self.taken(left, turns, depth + 1), self.taken(right, turns, depth + 1)
                if sides[0] is None or sides[1] is None:
                    return None
                return sides[0] & sides[1] if op == "&&" else sides[0] | sides[1]
            case ast.Binary(op=op) if op in COMPARISONS:
                return self._compare(cond, turns)
            case ast.Name():
                value = defining_value(self.builder.uses.get(cond))
                return None if value is None else self.taken(value, turns, depth + 1)
        return None

    def _compare(self, cond: ast.Binary, turns: Mapping[str, Int]) -> Mask | None:
        left, right = self.builder.values.get(cond.left), self.builder.values.get(cond.right)
        if left is None or right is None:
            return None
        left, right = self.elements.settled(left, turns), self.elements.settled(right, turns)
        sides = self.kernel.numbers(left), self.kernel.numbers(right)
        if sides[0] is not None and sides[1] is not None:
            return mask_of(map(COMPARISONS[cond.op], sides[0], sides[1]))
        sign = self._sign(right - left) if cond.op in _ORDERS else 0
        return None if sign == 0 else self.kernel.whole() if COMPARISONS[cond.op](0, sign) else 0

    def _sign(self, gap: Int) -> int:
        """1 or -1 where a value is so for all large sizes, in every thread; 0 where that is not known."""
        signs: set[int] = set()
        for monomial, factor in gap.terms:
            kinds = {self._is_size(atom) for atom in monomial}
            if kinds == {True}:
                signs.add(1 if factor > 0 else -1)
            elif kinds - {False}:  # a product of a size and something else
                return 0
        low, high = bounds(gap, self.builder.intervals)
        (sign,) = signs if len(signs) == 1 else (0,)
        return sign if (high if sign > 0 else low) is None and self._is_bounded(gap) else 0

    def _is_bounded(self, gap: Int) -> bool:
        """Whether all but sizes are indices of threads: nothing else can outgrow a size."""
        rest = [(monomial, factor) for monomial, factor in gap.terms if not all(map(self._is_size, monomial))]
        return self.kernel.numbers(Int(tuple(rest))) is not None

    def _is_size(self, atom: object) -> bool:
        symbol = self.elements.atoms.get(atom) if isinstance(atom, str) else None
        return symbol is not None and symbol.kind is SymbolKind.DIMENSION
