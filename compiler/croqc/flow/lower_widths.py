"""The widths of integers: which values are cut to their type (reference, 3.1). Must not know statements or steps.

Integers of 32 bits and more are taken to be large enough for what is counted, as the sizes of a launch are; what may
fall below zero and is unsigned is cut all the same, and everything of fewer bits is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croqc.flow.exprs import COMPARE, Expr, cut
from croqc.sema.elements import ELEMENTS, INTEGERS, canonical, common, conversion
from croqc.sema.masks import defining_value
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.types import Bounded, BoundedTuple, Scalar, Type
from croqc.syntax import ast
from croqc.syntax.visit import walk

_WIDE = 32  # bits from which on values count as large enough
_LARGE = 1 << 16  # a factor
_TRUTHS = COMPARE | {"&&", "||", "!"}


def elem_of(type_: Type | None) -> str | None:
    """The type of an integer; an index counts as `s32`. None for all else."""
    match type_:
        case Scalar(elem=elem) if elem in INTEGERS:
            return elem
        case Bounded() | BoundedTuple(bounds=(_,)):
            return "s32"
    return None


def is_narrow(elem: str | None) -> bool:
    return elem is not None and ELEMENTS[elem].bits < _WIDE


def _is_cut(elem: str | None) -> bool:
    return elem is not None and (is_narrow(elem) or ELEMENTS[elem].kind == "unsigned")


class Widths:
    """Of the expressions of one kernel, of which `nodes` are all nodes."""

    def __init__(self, model: Model, nodes: Sequence[ast.Node]) -> None:
        self.model = model
        self._any = any(_is_cut(elem_of(type_)) for type_ in model.types.values()) or any(
            _is_cut(elem_of(symbol.type)) for symbol in model.symbols
        )
        self._touched: dict[ast.Node, bool] = {}
        self._natural: dict[ast.Node, bool] = {}
        self._falling: set[Symbol] = set()
        if self._any:
            self._find_falling(nodes)

    def touches(self, node: ast.Node) -> bool:
        """Whether a value depends on something that is cut: its normal form, which knows no widths, may be wrong."""
        if not self._any:
            return False
        found = self._touched.get(node)
        if found is None:
            self._touched[node] = False  # of a definition that names itself
            found = self._touched[node] = any(map(self._is_touched, walk(node)))
        return found

    def _is_touched(self, part: ast.Node) -> bool:
        if _is_cut(elem_of(self.model.types.get(part))):
            return True
        value = defining_value(self.model.uses.get(part)) if isinstance(part, ast.Name) else None
        return value is not None and self.touches(value)

    # --- what may be below zero ------------------------------------------------------------------

    def _find_falling(self, nodes: Sequence[ast.Node]) -> None:
        """The variables that are given something which may be below zero; signed ones that are mutable, too."""
        given = list(self._given(nodes))
        self._falling = {
            symbol
            for symbol in self.model.symbols
            if isinstance(symbol.type, Scalar) and self._is_signed(symbol) and not defining_value(symbol)
        }
        while True:
            self._natural.clear()
            more = {symbol for symbol, value in given if value is None or not self.is_natural(value)} - self._falling
            if not more:
                return
            self._falling |= more

    def _is_signed(self, symbol: Symbol) -> bool:
        elem = elem_of(symbol.type)
        held = symbol.kind in (SymbolKind.PARAM, SymbolKind.VARIABLE)
        return held and elem is not None and ELEMENTS[elem].kind == "signed"

    def _given(self, nodes: Sequence[ast.Node]) -> Iterator[tuple[Symbol, ast.Node | None]]:
        """What each variable is given, None where something is taken off it."""
        for node in nodes:
            found: tuple[ast.Name, ast.Node | None] | None = None
            match node:
                case ast.ScalarInit(name=name, value=value) if value is not None:
                    found = name, value
                case ast.AssignPart(target=ast.Name() as name, op=op, value=value):
                    found = name, None if op == "-=" else value
                case ast.IncDec(name=name, op=op):
                    found = name, None if op == "--" else name
            symbol = None if found is None else self.model.uses.get(found[0])
            if found is not None and symbol is not None:
                yield symbol, found[1]

    def is_natural(self, node: ast.Node) -> bool:
        """Whether a value is not below zero, as far as its text says; nothing in it is either."""
        found = self._natural.get(node)
        if found is None:
            self._natural[node] = True  # of a definition that names itself
            found = self._natural[node] = all(map(self._has_no_sign, walk(node)))
        return found

    def _has_no_sign(self, part: ast.Node) -> bool:
        match part:
            case ast.Unary(op="-" | "~") | ast.Binary(op="-"):
                return False
            case ast.Name():
                symbol = self.model.uses.get(part)
                value = defining_value(symbol)
                return symbol not in self._falling and (value is None or self.is_natural(value))
        return True

    def is_plain(self, node: ast.Node) -> bool:
        """Whether a value is what its normal form says: nothing is cut."""
        return not self.touches(node) or (self.is_natural(node) and not self._may_wrap(node))

    def _may_wrap(self, node: ast.Node) -> bool:
        for part in walk(node):
            value = defining_value(self.model.uses.get(part)) if isinstance(part, ast.Name) else None
            narrow = is_narrow(elem_of(self.model.types.get(part)))
            if narrow or self._is_large(part) or (value is not None and self._may_wrap(value)):
                return True
        return False

    def _is_large(self, node: ast.Node) -> bool:
        """A product with a constant that no count needs: it is written to wrap."""
        if (
            not isinstance(node, ast.Binary)
            or node.op not in ("*", "<<")
            or elem_of(self.model.types.get(node)) == "s32"
        ):
            return False
        values = [
            None if known is None else known.const for known in map(self.model.values.get, (node.left, node.right))
        ]
        if node.op == "<<":
            return values[1] is not None and values[1] >= _LARGE.bit_length() - 1
        return any(value is not None and abs(value) >= _LARGE for value in values)

    # --- values ----------------------------------------------------------------------------------

    def held(self, node: ast.Node, value: Expr) -> Expr:
        """What an operation comes to, cut to its type."""
        natural = self.is_natural(node) and not self._is_large(node)
        return _kept(value, elem_of(self.model.types.get(node)), natural)

    def operands(self, node: ast.Binary, left: Expr, right: Expr) -> tuple[Expr, Expr]:
        """Both sides of an operator, in the type in which it works."""
        elems = [elem_of(self.model.types.get(side)) for side in (node.left, node.right)]
        if not self._any or None in elems or node.op in ("<<", ">>"):
            return left, right
        elem = common(elems[0] or "", elems[1] or "")
        return self._converted(node.left, left, elem), self._converted(node.right, right, elem)

    def given(self, symbol: Symbol, value: Expr, node: ast.Node) -> Expr:
        """What a variable holds that is given the value of a node."""
        return self._converted(node, value, elem_of(symbol.type)) if self._any else value

    def moved(self, symbol: Symbol, value: Expr) -> Expr:
        """What a variable holds that is moved on."""
        return _kept(value, elem_of(symbol.type), symbol not in self._falling) if self._any else value

    def _converted(self, node: ast.Node, value: Expr, elem: str | None) -> Expr:
        source = elem_of(self.model.types.get(node))
        if source is None or elem is None or not conversion(source, elem):
            return value
        return _fitted(value, elem, self.is_natural(node))


def _kept(value: Expr, elem: str | None, natural: bool) -> Expr:
    """The outcome of an operation in a type: signed ones are large enough where they are wide."""
    return _fitted(value, elem, natural) if elem is not None and _is_cut(elem) else value


def _fitted(value: Expr, elem: str, natural: bool) -> Expr:
    if natural and (not is_narrow(elem) or _top(value) <= _largest(elem)):
        return value
    row = ELEMENTS[elem]
    return cut(value, row.bits if row.kind == "unsigned" else -row.bits)


def _largest(elem: str) -> int:
    row = ELEMENTS[elem]
    return (1 << (row.bits - (row.kind == "signed"))) - 1


def _top(value: Expr) -> int:
    """The largest that a value which is not negative can be; more than any type holds where that is not known."""
    by = value.args[-1].const if value.args else None
    if value.const is not None:
        return value.const
    if value.op in _TRUTHS:
        return 1
    if value.op == "%" and by is not None and by > 0:
        return by - 1
    return by if value.op == "&" and by is not None and by >= 0 else 1 << 64


def cast_of(node: ast.Builtin) -> str | None:
    """The integer type that `__to<…>(…)` converts to."""
    elem = canonical(node.type_arg) if node.name == "__to" and isinstance(node.type_arg, str) else ""
    return elem if elem in INTEGERS else None
