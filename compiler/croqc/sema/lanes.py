"""What an expression is in each thread of a block, where indices of threads and constants alone decide it.

Followed on the tree, as normal forms know neither `?:` nor operators on bits, nor widths. Must not report; None where
anything else takes part, or where a type could cut a value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from croqc.sema.elements import ELEMENTS, canonical, limits
from croqc.sema.integers import COMPARISONS, quotient, remainder
from croqc.sema.masks import Mask, Masks, Numbers, defining_value, mask_of
from croqc.sema.types import Scalar
from croqc.syntax import ast

_MAX_DEPTH: Final = 80  # what is nested deeper is not followed
_LOW, _HIGH = limits("s32")
_PLAIN: Final = frozenset(("signed", "bool"))
_MOST_BITS: Final = 31

_BINARY: Final[Mapping[str, Callable[[int, int], int]]] = {
    **COMPARISONS,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": quotient,
    "%": remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b),
}
_UNARY: Final[Mapping[str, Callable[[int], int]]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "!": operator.not_,
}
_FUNCTIONS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "cdiv": lambda a, b: quotient(a + b - 1, b),
    "__min": min,
    "__max": max,
}


class Lanes:
    """Evaluates expressions for one kernel, whose conditions `masks` knows."""

    def __init__(self, masks: Masks) -> None:
        self.masks, self.facts = masks, masks.facts
        self._columns = {item.symbol: item.values(masks.threads) for item in masks.placements}
        self._known: dict[ast.Node, Numbers | None] = {}

    def taken(self, cond: ast.Node) -> Mask | None:
        """The threads for which a condition holds; one over block indices alone counts as all (4.4)."""
        known = self.masks.of(cond)
        return self.truth(cond) if known is None else known

    def truth(self, node: ast.Node) -> Mask | None:
        """The threads for which a condition holds."""
        numbers = self.numbers(node)
        return None if numbers is None else mask_of(numbers)

    def numbers(self, node: ast.Node, depth: int = 0) -> Numbers | None:
        """The value in every thread."""
        if node not in self._known:
            self._known[node] = None  # of a definition that names itself
            try:
                found = self._of(node, depth + 1) if depth < _MAX_DEPTH else None
            except (ZeroDivisionError, ValueError):
                found = None
            self._known[node] = found if found is None or self._holds(node, found) else None
        return self._known[node]

    def _of(self, node: ast.Node, depth: int) -> Numbers | None:
        match node:
            case ast.IntLit(value=value):
                return [value] * self.masks.threads
            case ast.Const(word="true" | "false" as word):
                return [word == "true"] * self.masks.threads
            case ast.Paren(inner=inner):
                return self.numbers(inner, depth)
            case ast.Name():
                return self._name(node, depth)
            case ast.Unary(op=op, operand=operand) if op in _UNARY:
                inside = self.numbers(operand, depth)
                return None if inside is None else list(map(_UNARY[op], inside))
            case ast.Binary(op=op, left=left, right=right) if op in _BINARY:
                return self._joined(_BINARY[op], left, right, depth, op in ("<<", ">>"))
            case ast.Builtin(name=name, args=(left, right), type_arg=None) if name in _FUNCTIONS:
                return self._joined(_FUNCTIONS[name], left, right, depth, False)
            case ast.Cond(test=test, then=then, other=other):
                sides = [self.numbers(part, depth) for part in (test, then, other)]
                known = [side for side in sides if side is not None]
                return [b if a else c for a, b, c in zip(*known, strict=True)] if len(known) == len(sides) else None
        return None

    def _joined(
        self, means: Callable[[int, int], int], left: ast.Node, right: ast.Node, depth: int, shifts: bool
    ) -> Numbers | None:
        first, second = self.numbers(left, depth), self.numbers(right, depth)
        if first is None or second is None or (shifts and max(second) > _MOST_BITS):
            return None
        return list(map(means, first, second))

    def _name(self, node: ast.Name, depth: int) -> Numbers | None:
        symbol = self.facts.uses.get(node)
        if symbol in self._columns:
            return self._columns[symbol]
        value = defining_value(symbol)
        found = None if value is None or symbol is None else self.numbers(value, depth)
        if found is None or symbol is None or not isinstance(symbol.type, Scalar):
            return None
        return found if self._fits(symbol.type, found) else None

    def _holds(self, node: ast.Node, numbers: Numbers) -> bool:
        kind = self.facts.types.get(node)
        return self._fits(kind, numbers) if isinstance(kind, Scalar) else _LOW <= min(numbers) <= max(numbers) <= _HIGH

    def _fits(self, kind: Scalar, numbers: Numbers) -> bool:
        """Whether a type holds the values, so that neither it nor `int` makes others of them; unsigned types make
        other results of what is worked out in them, too."""
        row = ELEMENTS.get(canonical(kind.elem))
        if row is None or row.kind not in _PLAIN:
            return False
        low, high = (0, 1) if row.kind == "bool" else limits(row.name)
        return max(low, _LOW) <= min(numbers) <= max(numbers) <= min(high, _HIGH)
