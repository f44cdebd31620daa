"""How many bits the values of integers take, as far as their text says. Must not know widths of types, nor steps.

Sizes, indices and counters are taken to be small enough for what is counted, as the sizes of a launch are; what large
constants, shifts and growth make of them is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from croqc.flow.exprs import COMPARE
from croqc.sema.masks import defining_value
from croqc.sema.model import Model, Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk

ENDLESS = 1 << 16  # more bits than any type has
_ATOM = 16  # of a size, an index, a counter
_COUNTED = 28  # of a product of several of them
_STEP = 17  # of a number that a counter is moved by, from which on it comes to its type's end
_TRUTHS = COMPARE | {"&&", "||"}

Given = Sequence[tuple[Symbol, str, ast.Node | None]]
"""What variables are given, with which operator; None for 1."""


class Magnitudes:
    """Of the expressions of one kernel. `most`: the bits that each variable can hold."""

    def __init__(self, model: Model, given: Given, most: Mapping[Symbol, int]) -> None:
        self.model = model
        self._most = most
        self._bits: dict[ast.Node, int] = {}
        self._held: dict[Symbol, int] = {}
        self.moved = {symbol for symbol, op, value in given if op[0] in "+-" and self._leaps(value)}
        """The variables that the steps by which they are moved take beyond their type."""
        self._held = {symbol: most.get(symbol, ENDLESS) for symbol in self.moved | self._growing(given)}
        self._settle(given)

    def _leaps(self, value: ast.Node | None) -> bool:
        return value is not None and self.of(value) >= _STEP and self._constant(value) is not None

    def _settle(self, given: Given) -> None:
        """What the variables come to: larger and larger, up to what they can hold."""
        grown = True
        while grown:
            grown = False
            self._bits.clear()
            for symbol, op, value in given:
                bits = self._given(symbol, op, value)
                most = self._most.get(symbol, ENDLESS)
                if bits > most and op != "=":
                    self.moved.add(symbol)
                bits = min(bits, most)
                if bits > self._held.get(symbol, _ATOM):
                    self._held[symbol], grown = bits, True

    def _given(self, symbol: Symbol, op: str, value: ast.Node | None) -> int:
        more = 1 if value is None else self.of(value)
        if op == "=":
            return more
        const = 1 if value is None else self._constant(value)
        return self._combined(op[0], self._held.get(symbol, _ATOM), more, const)

    def of(self, node: ast.Node) -> int:
        """The bits of a value, its sign left out."""
        found = self._bits.get(node)
        if found is None:
            self._bits[node] = _ATOM  # of a definition that names itself
            found = self._bits[node] = self._of(node)
        return found

    def _of(self, node: ast.Node) -> int:
        const = self._constant(node)
        if const is not None:
            return abs(const).bit_length()
        match node:
            case ast.Paren(inner=inner) | ast.Unary(operand=inner) | ast.Builtin(name="__to", args=(inner,)):
                return self.of(inner)
            case ast.Cond(then=then, other=other):
                return max(self.of(then), self.of(other))
            case ast.Binary(op=op, left=left, right=right) if op not in _TRUTHS:
                return self._combined(op, self.of(left), self.of(right), self._constant(right), self._constant(left))
            case ast.Name():
                symbol = self.model.uses.get(node)
                value = defining_value(symbol)
                if value is not None:
                    return self.of(value)
                return _ATOM if symbol is None else self._held.get(symbol, _ATOM)
        return _ATOM

    def _constant(self, node: ast.Node) -> int | None:
        known = self.model.values.get(node)
        return None if known is None else known.const

    @staticmethod
    def _combined(op: str, left: int, right: int, by: int | None, of: int | None = None) -> int:
        """Of two values and what is known of the second and the first."""
        if op == "*":
            if by is not None or of is not None:
                factor, other = (by, left) if by is not None else (of, right)
                return other + max(abs(factor or 0) - 1, 0).bit_length()
            return _COUNTED if max(left, right) <= _COUNTED else left + right
        if op == "<<":
            return ENDLESS if by is None or by < 0 else left + min(by, ENDLESS)
        if op in ("%", "&") and by is not None and by > 0:
            return min(left, by.bit_length())
        if op in ("/", ">>", "%"):
            return left
        return max(left, right) + (op in ("+", "-") and max(left, right) > _COUNTED + 1)

    # --- growth -----------------------------------------------------------------------------------

    def _growing(self, given: Given) -> set[Symbol]:
        """The variables that are given more than once what follows from them, as `p = p + p`."""
        sources = {symbol: set[Symbol]() for symbol, _, _ in given}
        for symbol, _, value in given:
            sources[symbol] |= self._named(value) if value is not None else set()
        found = set()
        for symbol, op, value in given:
            own = int(op != "=") + (0 if value is None else self._times(value, symbol, sources))
            if own > 1:
                found.add(symbol)
        return found

    def _named(self, node: ast.Node) -> set[Symbol]:
        """The variables that a value follows from, behind immutable names, too."""
        found: set[Symbol] = set()
        for part in walk(node):
            symbol = self.model.uses.get(part) if isinstance(part, ast.Name) else None
            value = defining_value(symbol)
            if value is not None:
                found |= self._named(value)
            elif symbol is not None and symbol.mutable:
                found.add(symbol)
        return found

    def _times(self, node: ast.Node, of: Symbol, sources: Mapping[Symbol, set[Symbol]]) -> int:
        """How many times a value has the variable in it, or one that follows from it."""
        match node:
            case ast.Paren(inner=inner) | ast.Unary(operand=inner) | ast.Builtin(name="__to", args=(inner,)):
                return self._times(inner, of, sources)
            case ast.Cond(then=then, other=other):
                return max(self._times(then, of, sources), self._times(other, of, sources))
            case ast.Binary(op=op, left=left, right=right) if op not in _TRUTHS:
                if op in ("%", "&") and self._constant(right) is not None:
                    return 0
                own = self._times(left, of, sources), self._times(right, of, sources)
                if op == "*" and max(own) and self._constant(left) is None and self._constant(right) is None:
                    return 2
                return own[0] if op in ("/", "%", ">>", "<<") else sum(own)
            case ast.Name():
                symbol = self.model.uses.get(node)
                value = defining_value(symbol)
                if value is not None:
                    return self._times(value, of, sources)
                return int(symbol is not None and of in _behind(symbol, sources))
        return 0


def _behind(symbol: Symbol, sources: Mapping[Symbol, set[Symbol]]) -> set[Symbol]:
    """A variable and all that it follows from."""
    found, todo = {symbol}, [symbol]
    while todo:
        more = sources.get(todo.pop(), set()) - found
        found |= more
        todo += more
    return found
