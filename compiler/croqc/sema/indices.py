"""Which parallel and loop indices decide where a view lies. Must not report."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema.builder import Builder
from croqc.sema.masks import defining_value, symbol_atoms
from croqc.sema.model import UNITS, Level, Symbol, SymbolKind, View, ViewKind
from croqc.sema.symbolic import Int
from croqc.syntax import ast


class Indices:
    """Which parallel and loop indices decide where a view lies."""

    def __init__(self, builder: Builder) -> None:
        self._b = builder
        self._levels: dict[Symbol, Level] = {}
        for axis, level in builder.levels.items():
            for name in (*axis.names, *((axis.tuple_name,) if axis.tuple_name else ())):
                if (symbol := builder.uses.get(name)) is not None:
                    self._levels[symbol] = level
        kinds = (SymbolKind.PARALLEL, SymbolKind.LOOP)
        self._symbols = {atom: symbol for symbol, atom in symbol_atoms(builder).items() if symbol.kind in kinds}

    def level(self, symbol: Symbol) -> Level | None:
        """The level of a parallel index, None for loop indices."""
        return self._levels.get(symbol)

    def of_int(self, value: Int) -> frozenset[Symbol]:
        return frozenset(self._symbols[name] for name in value.names() if name in self._symbols)

    def of_view(self, view: View) -> frozenset[Symbol]:
        """The indices in the subscripts, tile numbers, steps and offsets of a view, named views included."""
        found: set[Symbol] = set()
        for node in _place(view):
            if (value := self._b.values.get(node)) is not None:
                found |= self.of_int(value)
            elif isinstance(node, ast.Name) and (symbol := self._b.uses.get(node)) is not None:
                found |= {symbol} if symbol.kind in (SymbolKind.PARALLEL, SymbolKind.LOOP) else set()
        value_node = defining_value(view.base)
        inner = self._b.views.get(value_node) if value_node is not None else None
        return frozenset(found) | (self.of_view(inner) if inner is not None and inner is not view else frozenset())

    def units(self, *views: View) -> frozenset[Level]:
        """The levels inside the block whose indices decide where the views lie."""
        symbols = frozenset().union(*(self.of_view(view) for view in views))
        levels = (self._levels.get(symbol) for symbol in symbols)
        return frozenset(level for level in levels if level in UNITS and level is not None)


def _place(view: View) -> Iterator[ast.Expr]:
    yield from view.slots
    for op in view.ops:
        yield from op.at
        yield from op.step
        if op.kind is ViewKind.CHUNKAT:
            yield from op.args
    yield from view.element or ()
