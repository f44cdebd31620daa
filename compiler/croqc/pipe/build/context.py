"""What building the IR of one kernel needs everywhere: model, names, tensors. Must not know single constructs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from croqc.pipe.build.integers import of_int
from croqc.pipe.build.names import Names
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Expr, Tensor, Tile, Var
from croqc.pipe.ir import Accumulator, Stmt
from croqc.sema.model import Kernel, Model, Symbol, Unit
from croqc.sema.symbolic import Int
from croqc.syntax import ast
from croqc.text.span import NOWHERE, Span

Built = list[Stmt]


class Context:
    """Builds one kernel, or with `kernel` None the host part. Tables are filled as statements are met; `unit` and
    `threads` say who runs the place."""

    def __init__(
        self,
        model: Model,
        kernel: Kernel | None,
        statements: Mapping[type, Callable[[Context, Any], Built]],
        expressions: Mapping[type, Callable[[Context, Any], Expr]],
    ) -> None:
        self.model = model
        self.kernel = kernel
        self.names = Names()
        self.unit = Unit.BLOCK
        self.per_thread = False  # inside a level of threads
        self.in_team = False  # in a region of one path that is no single warp or warpgroup; its unit is BLOCK
        self.first = 0  # the first of the threads that BLOCK stands for
        self.threads = 1  # and how many these are
        self.block_waits: frozenset[ast.Wait] = frozenset()  # behind which the block meets
        self.looped: set[ast.Node] = set()  # what stands in a loop
        self.known: dict[Symbol, str] = {}
        self.sizes: dict[str, Expr] = {}  # atoms of symbolic integers
        self.tuples: dict[Symbol, tuple[Expr, ...]] = {}  # what tuples of indices consist of
        self.tensors: dict[Symbol, Tensor] = {}
        self.tiles: dict[Symbol, Tile] = {}  # operands and named views
        self.accumulators: dict[Symbol, Accumulator] = {}
        self.ahead: list[Stmt] = []  # what the expressions of the statement at hand do before it
        self.behind: list[Stmt] = []  # and after it
        self.declared: set[str] = set()  # accumulators and fragments that were filled before
        self.fragments: dict[Symbol, str] = {}  # operands in registers
        self.visiting: tuple[Expr, ...] = ()  # the place of the register tile's element that is computed
        self.handles: dict[Symbol, tuple[str, Tensor]] = {}
        self._atoms = {symbol.atom: symbol for symbol in model.symbols if symbol.atom}
        self._statements = statements
        self._expressions = expressions

    def symbol(self, name: ast.Name) -> Symbol:
        found = self.model.uses.get(name)
        if found is None:
            raise LoweringError(f"'{name.id}' is not known here: declare it in front", name.span)
        return found

    def name_of(self, symbol: Symbol) -> str:
        if symbol not in self.known:
            self.known[symbol] = self.names.fresh(symbol.name)
        return self.known[symbol]

    def is_known(self, value: Int) -> bool:
        """Whether every symbol of an integer has a name in the kernel."""
        return value.names() <= self.sizes.keys() | self._atoms.keys()

    def integer(self, value: Int, span: Span) -> Expr:
        """The expression of a symbolic integer. Raises LoweringError for one that has no name here."""
        if not self.is_known(value):
            raise LoweringError(
                "this size is not known here: make it of sizes, numbers and names that do not change", span
            )
        named = {
            atom: Var(self.known[self._atoms[atom]]) for atom in value.names() if self._atoms.get(atom) in self.known
        }
        return of_int(value, {**named, **self.sizes})

    def expr(self, node: ast.Node) -> Expr:
        """Raises LoweringError for an expression that is not lowered."""
        handler = self._expressions.get(type(node))
        if handler is None:
            raise LoweringError("this expression is not lowered to CUDA: compute it in a device function", node.span)
        return handler(self, node)

    def stmt(self, node: ast.Node) -> Built:
        """Raises LoweringError for a statement that is not lowered."""
        handler = self._statements.get(type(node))
        if handler is None:
            raise LoweringError("this statement is not lowered to CUDA: write it in C++, as '__cpp__(…)'", node.span)
        around = self.ahead, self.behind
        self.ahead, self.behind = [], []
        try:
            built = handler(self, node)
            return [*self.ahead, *built, *self.behind]
        except LoweringError as error:
            if error.span != NOWHERE:
                raise
            raise LoweringError(error.message, node.span) from error
        finally:
            self.ahead, self.behind = around

    def body(self, block: ast.Block) -> tuple[Stmt, ...]:
        found: Built = []
        for node in block.stmts:
            found += self.stmt(node)
        return tuple(found)
