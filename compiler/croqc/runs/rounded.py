"""In which types the values of an output were rounded on their way, where two legal executions may round apart.

Arithmetic on elements is the same in every order of the paths. What is not: products and sums, which a compiler may
contract into one rounding (PTX ISA, fma); functions, whose last digits are the library's; multiplies and atomic sums.
A value that passes such an operation in f32 is known to the digits of f32, even if it ends in an array of f64. Must
not run anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from croqc.runs.elements import ELEMENTS, eps
from croqc.sema.model import Model, Symbol
from croqc.sema.roots import base_name
from croqc.sema.types import Data, Fragment, Scalar
from croqc.sema.writes import targets
from croqc.syntax import ast
from croqc.syntax.expectation import RESULT
from croqc.syntax.visit import walk

_SAME = frozenset({"__to", "cdiv", "__fabs", "__floor", "__ceil", "__round", "__sign", "__min", "__max", "__isfinite"})
"""Built-in functions that give the same in every library."""

_NOTHING = (ast.Wait, ast.Trigger, ast.Sync, ast.Print, ast.Assert, ast.Return, ast.Jump)

Types = frozenset[str]


def rounded_in(model: Model) -> Mapping[str, Types]:
    """By the name of what is written, `result` for what is returned: the float types of such operations behind it."""
    tracer = Tracer(model)
    tracer.settle(list(tracer.steps()))
    named = by_name(model, tracer, tracer.found)
    for node in walk(model.function):
        if isinstance(node, ast.Return) and node.value is not None:
            named[RESULT] |= tracer.types(node)
    return named


def by_name(model: Model, tracer: Tracer, found: Mapping[Symbol, Types]) -> dict[str, Types]:
    """What is known of symbols by their names, of which several things may have one, and of what is returned."""
    named: dict[str, Types] = {}
    for symbol, types in found.items():
        named[symbol.name] = named.get(symbol.name, frozenset()) | types
    for node in walk(model.function):
        if isinstance(node, ast.Return) and node.value is not None:
            read = (found.get(symbol, frozenset()) for symbol in tracer.symbols(node.value))
            named[RESULT] = named.get(RESULT, frozenset()).union(*read)
    return named


def coarser(types: Iterable[str], elem: str) -> str | None:
    """The coarsest of them that has fewer digits than `elem`, None if none has."""
    return coarsest(one for one in types if eps(one) > eps(elem))


def coarsest(types: Iterable[str]) -> str | None:
    """The one with the fewest digits, None of none."""
    return max(sorted(types), key=eps, default=None)


class Tracer:
    """Follows values from name to name, through the statements in any order."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.found: dict[Symbol, Types] = {}
        self.products = set(self._products())

    def of(self, symbol: Symbol) -> Types:
        return self.found.get(symbol, frozenset())

    def settle(self, steps: list[tuple[set[Symbol], set[Symbol], Types]]) -> None:
        size = -1
        while size != (size := sum(map(len, self.found.values()))):
            for into, read, types in steps:
                reached = types.union(*map(self.of, read))
                self.found |= {symbol: self.of(symbol) | reached for symbol in into}

    def steps(self) -> Iterator[tuple[set[Symbol], set[Symbol], Types]]:
        """Of every statement: what it may write, what it reads, and the types of its operations."""
        for stmt in self.statements():
            yield self.written(stmt), self.symbols(stmt), self.types(stmt)

    def statements(self) -> Iterator[ast.Node]:
        """Those without a body that do something with values."""
        for block in (node for node in walk(self.model.function) if isinstance(node, ast.Block)):
            for stmt in block.stmts:
                if not isinstance(stmt, _NOTHING) and not any(isinstance(node, ast.Block) for node in walk(stmt)):
                    yield stmt

    def written(self, stmt: ast.Node) -> set[Symbol]:
        named = (base_name(place) for node in walk(stmt) for place in self._targets(node))
        return self.symbols(*named, *(node for node in walk(stmt) if isinstance(node, ast.Cpp | ast.Asm)))

    def _targets(self, node: ast.Node) -> Iterator[ast.Node]:
        """What a node itself writes; a view also through its new name, and a call whatever it is handed."""
        yield from targets(node)
        match node:
            case ast.ScalarInit(name=name):
                yield name
            case ast.AssignPart(value=value) if self._is_view(value):
                yield value
            case ast.Call(kind="call", args=args):
                yield from args

    def _is_view(self, node: ast.Node) -> bool:
        view = self.model.views.get(node)
        return view is not None and view.element is None

    def symbols(self, *nodes: ast.Node | None) -> set[Symbol]:
        found: set[Symbol] = set()
        for node in (each for one in nodes if one is not None for each in walk(one)):
            if isinstance(node, ast.Name) and (symbol := self.model.uses.get(node)) is not None:
                found.add(symbol)
            elif isinstance(node, ast.Cpp):
                found.update(self.model.islands.get(node, {}).values())
        return found

    def types(self, stmt: ast.Node) -> Types:
        """The float types in which a statement computes what may come out otherwise."""
        return frozenset(elem for node in walk(stmt) for elem in self._of_node(node) if elem and eps(elem) > 0)

    def _of_node(self, node: ast.Node) -> Iterable[str]:
        match node:
            case ast.Binary(op="+" | "-"):
                return {self.elem(node)} & self.products
            case ast.AssignPart(op="+=" | "-=", target=target):
                return {self.elem(target)} & self.products
            case ast.Builtin(name=name) if name not in _SAME:
                return (self.elem(node),)
            case ast.Mma() if node in self.model.multiplies:
                return (self.model.multiplies[node].elem_acc,)
            case ast.Call(args=args) | ast.FragOp(args=args):
                return map(self.elem, args)
            case ast.Cpp():
                return (_elem_of(symbol.type) for symbol in self.model.islands.get(node, {}).values())
        return ()

    def _products(self) -> Iterator[str]:
        """The types of products: only sums of such types may be contracted."""
        for node in walk(self.model.function):
            match node:
                case ast.Binary(op="*"):
                    yield self.elem(node)
                case ast.AssignPart(op="*=", target=target):
                    yield self.elem(target)

    def elem(self, node: ast.Node) -> str:
        return _elem_of(self.model.types.get(node))

    def elem_of(self, symbol: Symbol) -> str:
        return _elem_of(symbol.type)


def _elem_of(kind: object) -> str:
    """The element type; "" where there is none that a run knows."""
    elem = kind.elem if isinstance(kind, Scalar | Data | Fragment) else None
    return elem if elem is not None and elem in ELEMENTS else ""
