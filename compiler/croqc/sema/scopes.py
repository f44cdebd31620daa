"""Scopes: which symbol a name means at a place, and what may be declared there (3.1). Must not type anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croqc.sema import rulenames as rules
from croqc.sema.builder import Builder
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.types import UNKNOWN, Type
from croqc.syntax import ast
from croqc.text.diagnostics import Related
from croqc.text.near import nearest

_MAY_HIDE: Final = (SymbolKind.VARIABLE, SymbolKind.FUTURE)
_MOST_COMPARISONS: Final = 20_000  # of missing with known names, for one function; they take about a tenth of a second


class Scope:
    """One block. `parallel`: the body of a `parallel`, across which accumulators are not refilled (6.1)."""

    __slots__ = ("names", "number", "parallel")

    def __init__(self, number: int, parallel: bool) -> None:
        self.names: dict[str, Symbol] = {}
        self.number = number
        self.parallel = parallel


def declared_here(symbol: Symbol) -> Related:
    return Related(f"'{symbol.name}' is declared here", symbol.name_span)


class Scopes:
    """The stack of open scopes. Symbols are entered into the builder."""

    def __init__(self, builder: Builder) -> None:
        self._b = builder
        self.stack = [Scope(0, parallel=False)]
        self._count = 0
        self._atoms: dict[str, int] = {}
        self._missing: set[str] = set()
        self._comparisons = _MOST_COMPARISONS
        self.guess = 64  # a likely value of an unknown macro at this place
        self.dimension = False  # whether the place is a shape

    def open(self, parallel: bool = False) -> None:
        self._count += 1
        self.stack.append(Scope(self._count, parallel))

    def close(self) -> None:
        self.stack.pop()

    def visible(self) -> Iterator[Symbol]:
        """Every symbol in scope, inner ones first."""
        for scope in reversed(self.stack):
            yield from scope.names.values()

    def lookup(self, name: str) -> Symbol | None:
        for scope in reversed(self.stack):
            if (found := scope.names.get(name)) is not None:
                return found
        return None

    def here(self, name: str) -> Symbol | None:
        """The symbol of that name in the innermost scope."""
        return self.stack[-1].names.get(name)

    def within_parallel(self, name: str) -> Symbol | None:
        """As `lookup`, but not beyond the innermost `parallel`."""
        for scope in reversed(self.stack):
            if (found := scope.names.get(name)) is not None:
                return found
            if scope.parallel:
                return None
        return None

    def atom(self, name: str) -> str:
        """A fresh symbol for `Int`s that prints as `name`."""
        count = self._atoms[name] = self._atoms.get(name, 0) + 1
        return name if count == 1 else f"{name}'{count}"

    def declare(self, name: ast.Name, kind: SymbolKind, type_: Type, decl: ast.Node, mutable: bool = False) -> Symbol:
        """A new symbol in the innermost scope; a second one of that name there is reported (T02)."""
        symbol = Symbol(name.id, kind, type_, decl, name.span, mutable, self.stack[-1].number)
        self._b.symbols.append(symbol)
        self._b.uses[name] = symbol
        if name.id == "_":
            self._b.report(rules.PLACEHOLDER_NAME, name.span)
        elif name.id:
            names = self.stack[-1].names
            earlier = names.get(name.id)
            if earlier is not None:
                self._b.report(
                    rules.REDECLARED_NAME,
                    name.span,
                    (declared_here(earlier),),
                    name=name.id,
                    kind=earlier.kind.value,
                )
            elif kind in _MAY_HIDE and (outer := self.lookup(name.id)) is not None and outer.kind is kind:
                self._b.hidden[symbol] = outer
            names[name.id] = symbol
        return symbol

    def use(self, name: ast.Name) -> Symbol | None:
        """The symbol that a name means; an unknown one is reported once a function (T01, S09)."""
        symbol = self.lookup(name.id)
        if symbol is not None:
            self._b.uses[name] = symbol
        elif name.id == "_":
            self._b.report(rules.PLACEHOLDER_NAME, name.span)
        elif name.id and name.id not in self._missing:
            self._missing.add(name.id)
            doubts = self._b.function.doubts
            if doubts is None or not doubts.may_declare(name.id, name.span.start):
                self._report_missing(name)
        return symbol

    def _report_missing(self, name: ast.Name) -> None:
        constant = dict(self._b.context.constants).get(name.id)
        near = self._nearest(name.id) if constant is None else None
        macro = name.id.isupper() and len(name.id) > 1
        self._b.report(
            rules.UNDECLARED_NAME,
            name.span,
            name=name.id,
            near=near,
            macro=macro,
            dimension=self.dimension,
            guess=self.guess,
            constant=constant,
        )

    def _nearest(self, name: str) -> str | None:
        """The visible name most like `name`; None after many missing names, since each search reads all."""
        if self._comparisons <= 0:
            return None
        known = {symbol.name for symbol in self.visible() if symbol.name} | mistakable(name, self._b.context.macros)
        self._comparisons -= len(known)
        return nearest(name, known)

    def anonymous(self, type_: Type, decl: ast.Node, name: str) -> Symbol:
        """The buffer that `=> shared` makes; it has no name of its own, `name` is what messages call it."""
        symbol = Symbol(name, SymbolKind.ANONYMOUS, type_, decl, decl.span, False, self.stack[-1].number)
        self._b.symbols.append(symbol)
        return symbol

    def unknown(self, name: ast.Name, kind: SymbolKind, decl: ast.Node) -> Symbol:
        return self.declare(name, kind, UNKNOWN, decl)


def mistakable(name: str, macros: frozenset[str]) -> set[str]:
    """The macros that a mistyped name may mean. `TILE_M` is no slip for `TILE_N`, but one of the same family."""
    return {other for other in macros if other != name and not _is_sibling(name.split("_"), other.split("_"))}


def _is_sibling(one: list[str], other: list[str]) -> bool:
    """Whether two names differ only in letters that tell members of a family apart; `TILE_KK` is `TILE_K` with a letter
    typed twice."""
    differing = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    doubled = len(differing) == 1 and differing[0][0] == 2 * differing[0][1]
    return len(one) == len(other) and not doubled and all(len(a) <= 2 and len(b) <= 2 for a, b in differing)
