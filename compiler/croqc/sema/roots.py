"""Which buffers a reference can touch: through named views, futures, swaps and operand aliases. Must not report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from croqc.sema.masks import defining_value
from croqc.sema.model import Symbol, SymbolKind, View
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind


class Tables(Protocol):
    """What resolving reads; the model and the builder have it."""

    @property
    def function(self) -> ast.Function: ...
    @property
    def uses(self) -> Mapping[ast.Name, Symbol]: ...
    @property
    def views(self) -> Mapping[ast.Node, View]: ...


class Roots:
    """Answers for one function. `anonymous` maps copies into `=> storage` to the buffer made for them."""

    def __init__(self, tables: Tables, anonymous: Mapping[ast.Copy, Symbol]) -> None:
        self.tables = tables
        self._anonymous = anonymous
        self._copies: dict[Symbol, list[ast.Copy]] = {}
        self._loads: dict[Symbol, list[ast.MmaLoad]] = {}
        self._swapped: dict[Symbol, set[Symbol]] = {}
        for copy in nodes_of_kind(tables.function, ast.Copy):
            if copy.target is not None:
                self._enter(self._copies, copy.target, copy)
        for load in nodes_of_kind(tables.function, ast.MmaLoad):
            if (name := base_name(load.target)) is not None:
                self._enter(self._loads, name, load)
        for swap in nodes_of_kind(tables.function, ast.Rotate):
            self._unite(swap.names)
        self._cache: dict[Symbol, frozenset[Symbol]] = {}

    def _enter(self, table: dict[Symbol, list[Any]], name: ast.Name, node: ast.Node) -> None:
        symbol = self.tables.uses.get(name)
        if symbol is not None:
            table.setdefault(symbol, []).append(node)

    def _unite(self, names: Iterable[ast.Name]) -> None:
        group: set[Symbol] = set()
        for symbol in (self.tables.uses.get(name) for name in names):
            if symbol is not None:
                group |= self._swapped.get(symbol, {symbol})
        for symbol in group:
            self._swapped[symbol] = group

    def of(self, symbol: Symbol) -> frozenset[Symbol]:
        """The buffers and parameters that the symbol may stand for; empty where none is known."""
        if symbol not in self._cache:
            self._cache[symbol] = frozenset()  # cuts circles in broken programs
            self._cache[symbol] = frozenset(self._find(symbol))
        return self._cache[symbol]

    def _find(self, symbol: Symbol) -> set[Symbol]:
        match symbol.kind:
            case SymbolKind.BUFFER | SymbolKind.PARAM | SymbolKind.ANONYMOUS:
                return {symbol}
            case SymbolKind.FUTURE:
                found: set[Symbol] = set()
                for one in self._swapped.get(symbol, {symbol}):
                    value = defining_value(one)
                    found |= set() if value is None else self.of_node(value)
                    for copy in self._copies.get(one, ()):
                        found |= self.of_dest(copy)
                return found
            case SymbolKind.FRAGMENT:
                return set().union(*(self.of_node(load.source) for load in self._loads.get(symbol, ())))
            case _:
                value = defining_value(symbol)
                return set() if value is None else set(self.of_node(value))

    def of_node(self, node: ast.Node) -> frozenset[Symbol]:
        """The buffers behind a data reference."""
        if isinstance(node, ast.Select):
            return frozenset().union(*(self.of_node(option) for option in node.options))
        view = self.tables.views.get(node)
        if view is not None:
            return self.of(view.base)
        name = base_name(node)
        symbol = self.tables.uses.get(name) if name is not None else None
        return self.of(symbol) if symbol is not None else frozenset()

    def of_dest(self, copy: ast.Copy) -> frozenset[Symbol]:
        match copy.dest:
            case ast.StorageDest():
                made = self._anonymous.get(copy)
                return frozenset() if made is None else frozenset({made})
            case dest:
                return self.of_node(dest)


def base_name(node: ast.Node) -> ast.Name | None:
    """The name at the root of a reference."""
    while isinstance(node, ast.Chain | ast.Paren):
        node = node.base if isinstance(node, ast.Chain) else node.inner
    return node if isinstance(node, ast.Name) else None
