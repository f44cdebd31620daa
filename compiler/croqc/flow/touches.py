"""Which buffers a statement reads and writes, as whole buffers. Intervals and slots are not its concern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from croqc.sema.model import Model, OperandKind, Symbol, SymbolKind
from croqc.sema.roots import Roots
from croqc.sema.types import Data, Storage
from croqc.syntax import ast
from croqc.syntax.visit import children, nodes_of_kind
from croqc.text.record import record


@record
class Touch:
    """Buffers and parameters, by their declared symbols; `local` ones are left out: no other thread sees them."""

    reads: frozenset[Symbol] = frozenset()
    writes: frozenset[Symbol] = frozenset()

    def __or__(self, other: Touch) -> Touch:
        return Touch(self.reads | other.reads, self.writes | other.writes)

    def __bool__(self) -> bool:
        return bool(self.reads or self.writes)

    def conflicts(self, other: Touch) -> bool:
        """Whether both touch one buffer and one of them writes it."""
        return bool(self.writes & (other.reads | other.writes) or other.writes & self.reads)


class Touches:
    """Answers for one function."""

    def __init__(self, model: Model) -> None:
        self._model = model
        made = {
            copy: info.dest.base for copy, info in model.copies.items() if info.dest.base.kind is SymbolKind.ANONYMOUS
        }
        self._roots = Roots(model, made)

    def of(self, stmt: ast.Node) -> Touch:
        """What the statement itself does; bodies of loops, conditions and regions are not looked into."""
        match stmt:
            case ast.Copy():
                return self._touch(self._reads_in(stmt.source), self._roots.of_dest(stmt))
            case ast.Mma():
                operands = [*self._operand(stmt.a), *self._operand(stmt.b)]
                for extra in stmt.extra:
                    operands += self._operand(extra)
                return self._touch(operands, ())
            case ast.MmaLoad():
                alias = self._model.loads.get(stmt) is OperandKind.SHARED
                return Touch() if alias else self._touch(self._roots.of_node(stmt.source), ())
            case ast.MmaStore():
                return self._touch((), self._roots.of_node(stmt.dest))
            case ast.Assign():
                return self._assign(stmt)
            case ast.BufferDecl():
                filled = (self._model.uses.get(one.name) for one in stmt.names if one.fill is not None)
                return self._touch((), [symbol for symbol in filled if symbol is not None])
            case ast.CallStmt() | ast.ScalarDecl() if calls := list(nodes_of_kind(stmt, ast.Call)):
                return self._touch(self._reads_in(stmt), chain.from_iterable(map(self._written_by, calls)))
            case ast.Wait() | ast.Trigger() | ast.Rotate() | ast.EventDecl() | ast.Cpp():
                return Touch()
            case _:
                return self._touch(self._reads_in(stmt), ())

    def _assign(self, stmt: ast.Assign) -> Touch:
        reads: set[Symbol] = set()
        writes: set[Symbol] = set()
        for part in stmt.parts:
            view = self._model.views.get(part.target)
            if view is not None and (view.element is not None or part.op != "="):
                roots = self._roots.of_node(part.target)
                writes |= roots
                reads |= roots if part.op != "=" else set()
            elif isinstance(part.target, ast.Name):
                symbol = self._model.uses.get(part.target)
                if symbol is not None and symbol.kind is SymbolKind.BUFFER:
                    writes.add(symbol)
                elif isinstance(self._model.types.get(part.value), Data):
                    continue  # a named view moves nothing
            inner = set(self._reads_in(part.value))
            reads |= inner
            writes |= set(self._written_by(part.value)) if isinstance(part.value, ast.Call) else set()
        return self._touch(reads, writes)

    def _written_by(self, call: ast.Call) -> Iterable[Symbol]:
        """An atomic writes its first argument alone; what others do with theirs is not known."""
        if call.kind == "atomic":
            return self._roots.of_node(call.args[0])
        return self._reads_in(call)

    def _operand(self, node: ast.Expr) -> Iterator[Symbol]:
        yield from self._reads_in(node)
        if node in self._model.views:
            return
        symbol = self._model.uses.get(node) if isinstance(node, ast.Name) else None
        if symbol is not None and symbol.kind is SymbolKind.FRAGMENT and self._is_alias(symbol):
            yield from self._roots.of(symbol)

    def _is_alias(self, symbol: Symbol) -> bool:
        return any(
            kind is OperandKind.SHARED
            for load, kind in self._model.loads.items()
            if isinstance(load.target, ast.Name) and self._model.uses.get(load.target) is symbol
        )

    def _reads_in(self, node: ast.Node) -> Iterator[Symbol]:
        """The buffers of every reference to data in an expression or a statement without its bodies."""
        stack = [node]
        while stack:
            here = stack.pop()
            if here in self._model.views:
                yield from self._roots.of_node(here)
            stack += [child for child in children(here) if not isinstance(child, ast.Block)]

    @staticmethod
    def _touch(reads: Iterable[Symbol], writes: Iterable[Symbol]) -> Touch:
        return Touch(_outside_threads(reads), _outside_threads(writes))


def _outside_threads(symbols: Iterable[Symbol]) -> frozenset[Symbol]:
    return frozenset(one for one in symbols if not (isinstance(one.type, Data) and one.type.storage is Storage.LOCAL))
