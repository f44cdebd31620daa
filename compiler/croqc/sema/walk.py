"""The state of the one walk in source order that fills names, types, values and views.

Typing of expressions and statements stands in the tables that a `Walk` is made with; this file only holds
what they share. Nothing here knows a construct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from croqc.sema import rulenames as rules
from croqc.sema.builder import Builder
from croqc.sema.model import Symbol, View
from croqc.sema.ranges import Ranges
from croqc.sema.scopes import Scopes
from croqc.sema.symbolic import Int
from croqc.sema.types import UNKNOWN, Bounded, BoundedTuple, Scalar, Type, data_of
from croqc.syntax import ast
from croqc.text.record import record

MAX_DEPTH = 80  # expressions or blocks nested deeper are not analysed
MAX_SIZE = 64  # an integer written with more atoms counts as unknown


@record
class Value:
    """What an expression is: its type, its integer value, and for a bounded tuple its current values.

    A bounded tuple of rank 1 serves as an integer, too: `int` is its one item.
    """

    type: Type = UNKNOWN
    int: Int | None = None
    items: tuple[Int | None, ...] = ()


NOTHING = Value()

ExprTable = Mapping[type, Callable[["Walk", Any], Value]]
StmtTable = Mapping[type, Callable[["Walk", Any], None]]


class Walk:
    """What is known at the present place.

    `current` holds values of scalars and indices, `elements` those of bounded tuples, `parts` the indices that
    a tuple consists of; `idle` are indices of a `with` outside their loop, whose value is 0 (3.4). `base` is
    the shape that `(k)` picks from in a derivation.
    """

    def __init__(self, builder: Builder, expressions: ExprTable, statements: StmtTable) -> None:
        self.b = builder
        self.scopes = Scopes(builder)
        self.ranges = Ranges()
        self.current: dict[Symbol, Int] = {}
        self.elements: dict[Symbol, tuple[Int | None, ...]] = {}
        self.parts: dict[Symbol, tuple[Symbol, ...]] = {}
        self.idle: set[Symbol] = set()
        self.kernel_depth = 0
        self.base: tuple[Int | None, ...] | None = None
        self.returned: list[tuple[ast.Return, Type]] = []
        self._expressions = expressions
        self._statements = statements
        self._depth = 0

    @property
    def on_device(self) -> bool:
        return self.kernel_depth > 0

    # --- expressions --------------------------------------------------------------------------

    def expr(self, node: ast.Node) -> Value:
        """Type an expression and enter type and value into the tables."""
        handler = self._expressions.get(type(node))
        if handler is None:
            return NOTHING
        if self._depth > MAX_DEPTH:
            self.b.cut.append(node.span)
            return NOTHING
        self._depth += 1
        try:
            return self.note(node, handler(self, node))
        finally:
            self._depth -= 1

    def note(self, node: ast.Node, value: Value) -> Value:
        """Enter what is known of a node. Values that have grown too large are forgotten."""
        self.b.types[node] = value.type
        if value.int is not None:
            if value.int.size > MAX_SIZE:
                return Value(value.type)
            self.b.values[node] = value.int
        return value

    def symbol_value(self, symbol: Symbol) -> Value:
        """What a use of the symbol is at this place."""
        zero = symbol in self.idle
        match symbol.type:
            case Bounded():
                return Value(symbol.type, Int.of(0) if zero else self.current.get(symbol))
            case BoundedTuple(bounds=bounds):
                items = self._items(symbol, len(bounds), zero)
                return Value(symbol.type, items[0] if len(items) == 1 else None, items)
            case Scalar():
                return Value(symbol.type, self.current.get(symbol))
            case type_:
                return Value(type_)

    def _items(self, symbol: Symbol, rank: int, zero: bool) -> tuple[Int | None, ...]:
        """The current values of a bounded tuple; one whose parts have names follows them."""
        parts = self.parts.get(symbol)
        if parts is not None:
            return tuple(self.symbol_value(part).int for part in parts)
        return (Int.of(0),) * rank if zero else self.elements.get(symbol, (None,) * rank)

    def view_symbol(self, node: ast.Node, symbol: Symbol) -> None:
        """Enter the trivial view of a name that stands for data."""
        data = data_of(symbol.type)
        if data is not None:
            self.b.views[node] = View(symbol, (), (), None, data)

    # --- statements ---------------------------------------------------------------------------

    def stmt(self, node: ast.Stmt) -> None:
        handler = self._statements.get(type(node))
        if handler is not None:
            handler(self, node)

    def block(self, body: ast.Block) -> None:
        """The statements of a body in the scope that is open; what they assume of values ends with it."""
        if self._depth > MAX_DEPTH:
            self.b.cut.append(body.span)
            return
        self._depth += 2
        outer, self.ranges = self.ranges, self.ranges.copy()
        try:
            for statement in body.stmts:
                self.stmt(statement)
        finally:
            self.ranges = outer
            self._depth -= 2

    @contextmanager
    def scope(self, parallel: bool = False) -> Iterator[None]:
        outer, self.ranges = self.ranges, self.ranges.copy()
        self.scopes.open(parallel)
        try:
            yield
        finally:
            self.scopes.close()
            self.ranges = outer

    # --- reports that several need ------------------------------------------------------------

    def not_understood(self, node: ast.Node, construct: str) -> None:
        self.b.report(rules.NOT_UNDERSTOOD, node.span, construct=construct)

    def set_atom(self, symbol: Symbol, value: Int | None = None) -> Int:
        """Give a symbol its value; without one it stands for itself."""
        if value is None or value.size > MAX_SIZE:
            symbol.atom = self.scopes.atom(symbol.name)
            value = Int.of(symbol.atom)
            self.b.intervals.setdefault(symbol.atom, (None, None))
        self.current[symbol] = value
        return value
