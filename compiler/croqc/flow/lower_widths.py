"""The widths of integers: which values are cut to their type (reference, 3.1). Must not know statements or steps.

Integers of 32 bits and more are taken to be large enough for what is counted, as the sizes of a launch are; what may
fall below zero and is unsigned is cut all the same, and so are large numbers and everything of fewer bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from croqc.flow.exprs import COMPARE, Expr, cut
from croqc.flow.magnitudes import Magnitudes
from croqc.sema.elements import ELEMENTS, INTEGERS, canonical, common, conversion
from croqc.sema.masks import defining_value
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.types import Bounded, BoundedTuple, Scalar, Type
from croqc.syntax import ast
from croqc.syntax.visit import walk

_WIDE = 32  # bits from which on values count as large enough
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


def _most(elem: str) -> int:
    """The bits of the largest number."""
    row = ELEMENTS[elem]
    return row.bits - (row.kind == "signed")


class _Told:
    """Answers about nodes, each worked out once; a definition that names itself meets `meanwhile`."""

    def __init__(self, decide: Callable[[ast.Node], bool], meanwhile: bool) -> None:
        self._decide = decide
        self._meanwhile = meanwhile
        self._known: dict[ast.Node, bool] = {}

    def __call__(self, node: ast.Node) -> bool:
        found = self._known.get(node)
        if found is None:
            self._known[node] = self._meanwhile
            found = self._known[node] = self._decide(node)
        return found

    def forget(self) -> None:
        self._known.clear()


class Widths:
    """Of the expressions of one kernel, of which `nodes` are all nodes."""

    def __init__(self, model: Model, nodes: Sequence[ast.Node]) -> None:
        self.model = model
        self.is_natural = _Told(lambda node: all(map(self._has_no_sign, walk(node))), meanwhile=True)
        """Whether a value is not below zero, as far as its text says; nothing in it is either."""
        self._touches = _Told(lambda node: any(map(self._is_touched, walk(node))), meanwhile=False)
        self._may_wrap = _Told(lambda node: any(map(self._is_wrapped, walk(node))), meanwhile=False)
        given = list(self._given(nodes))
        elems = {symbol: elem for symbol in model.symbols if (elem := elem_of(symbol.type)) is not None}
        self._magnitudes = Magnitudes(model, given, {symbol: _most(elem) for symbol, elem in elems.items()})
        self._falling: set[Symbol] = set()
        self._any = (
            any(_is_cut(elem_of(type_)) for type_ in model.types.values())
            or any(map(_is_cut, elems.values()))
            or bool(self._magnitudes.moved)
            or any(map(self._wraps, nodes))
        )
        if self._any:
            self._find_falling(given)

    def _is_touched(self, part: ast.Node) -> bool:
        """Whether something is cut: the normal form, which knows no widths, may be wrong."""
        if _is_cut(elem_of(self.model.types.get(part))):
            return True
        value = defining_value(self.model.uses.get(part)) if isinstance(part, ast.Name) else None
        return value is not None and self._touches(value)

    # --- what may be below zero ------------------------------------------------------------------

    def _find_falling(self, given: Sequence[tuple[Symbol, str, ast.Node | None]]) -> None:
        """The variables that are given something which may be below zero; signed ones that are mutable, too."""
        self._falling = {
            symbol
            for symbol in self.model.symbols
            if isinstance(symbol.type, Scalar) and self._is_signed(symbol) and not defining_value(symbol)
        }
        while True:
            self.is_natural.forget()
            more = {symbol for symbol, op, value in given if op[0] == "-" or (value and not self.is_natural(value))}
            if more <= self._falling:
                return
            self._falling |= more

    def _is_signed(self, symbol: Symbol) -> bool:
        elem = elem_of(symbol.type)
        held = symbol.kind in (SymbolKind.PARAM, SymbolKind.VARIABLE)
        return held and elem is not None and ELEMENTS[elem].kind == "signed"

    def _given(self, nodes: Sequence[ast.Node]) -> Iterator[tuple[Symbol, str, ast.Node | None]]:
        """What each variable is given, and with which operator; None for the 1 of `++` and `--`."""
        for node in nodes:
            found: tuple[ast.Name, str, ast.Node | None] | None = None
            match node:
                case ast.ScalarInit(name=name, value=value) if value is not None:
                    found = name, "=", value
                case ast.AssignPart(target=ast.Name() as name, op=op, value=value):
                    found = name, op, value
                case ast.IncDec(name=name, op=op):
                    found = name, op, None
            symbol = None if found is None else self.model.uses.get(found[0])
            if found is not None and symbol is not None:
                yield symbol, found[1], found[2]

    def _has_no_sign(self, part: ast.Node) -> bool:
        match part:
            case ast.Unary(op="-" | "~") | ast.Binary(op="-"):
                return False
            case ast.Name():
                symbol = self.model.uses.get(part)
                value = defining_value(symbol)
                return symbol not in self._falling and (value is None or self.is_natural(value))
        return True

    # --- what may be too large --------------------------------------------------------------------

    def is_plain(self, node: ast.Node) -> bool:
        """Whether a value is what its normal form says: nothing is cut."""
        if not self._any:
            return True
        return (not self._touches(node) or self.is_natural(node)) and not self._may_wrap(node)

    def _is_wrapped(self, part: ast.Node) -> bool:
        if is_narrow(elem_of(self.model.types.get(part))) or self._wraps(part):
            return True
        value = defining_value(self.model.uses.get(part)) if isinstance(part, ast.Name) else None
        return value is not None and self._may_wrap(value)

    def _wraps(self, node: ast.Node) -> bool:
        """Whether an operation or a conversion loses bits, for numbers that are written to."""
        match node:
            case ast.Binary() | ast.Unary():
                elem = elem_of(self.model.types.get(node))
                return elem is not None and self._magnitudes.of(node) > _most(elem)
            case ast.Builtin(args=(operand,)):
                return self._loses(operand, cast_of(node))
            case ast.Name():
                symbol = self.model.uses.get(node)
                value = defining_value(symbol)
                return symbol is not None and value is not None and self._loses(value, elem_of(symbol.type))
        return False

    def _loses(self, node: ast.Node, elem: str | None) -> bool:
        """Whether a conversion of a value to another type changes it."""
        source = elem_of(self.model.types.get(node))
        if source is None or elem is None or not conversion(source, elem):
            return False
        return self._magnitudes.of(node) > _most(elem) or not self.is_natural(node)

    # --- values ----------------------------------------------------------------------------------

    def held(self, node: ast.Node, value: Expr) -> Expr:
        """What an operation comes to, cut to its type."""
        return _kept(value, elem_of(self.model.types.get(node)), self.is_natural(node), self._wraps(node))

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
        wraps = symbol in self._magnitudes.moved
        return _kept(value, elem_of(symbol.type), symbol not in self._falling, wraps) if self._any else value

    def _converted(self, node: ast.Node, value: Expr, elem: str | None) -> Expr:
        source = elem_of(self.model.types.get(node))
        if source is None or elem is None or not conversion(source, elem):
            return value
        return _fitted(value, elem, self.is_natural(node), self._loses(node, elem))


def _kept(value: Expr, elem: str | None, natural: bool, wraps: bool) -> Expr:
    """The outcome of an operation in a type: signed ones are large enough where they are wide and do not wrap."""
    return _fitted(value, elem, natural, wraps) if elem is not None and (wraps or _is_cut(elem)) else value


def _fitted(value: Expr, elem: str, natural: bool, wraps: bool) -> Expr:
    if natural and (_top(value) <= _largest(elem) or not (wraps or is_narrow(elem))):
        return value
    row = ELEMENTS[elem]
    return cut(value, row.bits if row.kind == "unsigned" else -row.bits)


def _largest(elem: str) -> int:
    return (1 << _most(elem)) - 1


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
