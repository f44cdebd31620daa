"""The host part of a function as IR: scalars and control around its launches (reference, 4.2). Must not build kernels
from the source; those that move and fill data come from `host_data`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.pipe import ir, ir_host
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.control import CONTROL
from croqc.pipe.build.entry import entry_checks
from croqc.pipe.build.file_names import FunctionNames
from croqc.pipe.build.foreign import HOST_SIDE
from croqc.pipe.build.host_data import OwnKernel, array_tensor, copying, filling
from croqc.pipe.build.scalars import EXPRESSIONS, printable, value
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Lit, Tensor, Var
from croqc.sema.elements import canonical
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.types import Bounded, Data, Future, Scalar, Storage, Stream
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.record import record


@record(eq=False)
class HostPart:
    """`names`: what kernels call the values and arrays of the host part; `kernels`: those that move or fill data,
    numbered behind the launches of the source; `tensors`: the arrays, with what `sources` calls them; `tuples`: what
    those of its indices consist of."""

    host: ir_host.Host
    names: dict[Symbol, str]
    tensors: dict[Symbol, tuple[Tensor, str]]
    kernels: tuple[ir.Kernel, ...]
    tuples: dict[Symbol, tuple[Expr, ...]]


def build_host(model: Model, names: FunctionNames) -> HostPart:
    """`names`: what the kernels are called, those of the host part too.

    Raises LoweringError for the first construct that is not lowered.
    """
    return _Host(model, names).part()


class _Host:
    def __init__(self, model: Model, names: FunctionNames) -> None:
        self.model, self.names = model, names
        self.inside = {node for kernel in model.kernels for node in walk(kernel.node)}
        nodes = [node for node in walk(model.function) if node not in self.inside]
        loops = [node for node in nodes if isinstance(node, ast.Foreach | ast.While)]
        self.looped = {inner for loop in loops for inner in walk(loop)}
        self.numbers = {kernel.node: number for number, kernel in enumerate(model.kernels)}
        self.kernels: list[ir.Kernel] = []
        self.c = Context(model, None, self._statements(), {**EXPRESSIONS, **_EXPRESSIONS})
        self.c.per_thread = True  # the host is one thread
        called = [node.callee for node in walk(model.function) if isinstance(node, ast.Call)]
        callees = (callee.rpartition("::")[2] for callee in called)
        for word in (*HOST_SIDE, *names.kernels, *callees):
            self.c.names.reserve(word)
        self.streams = [s for s in model.symbols if s.kind is SymbolKind.PARAM and isinstance(s.type, Stream)]
        self.bound = any(kernel.node.stream is not None for kernel in model.kernels)

        self.scalars = self._scalars()
        self.tensors = self._arrays()

    def part(self) -> HostPart:
        streams = tuple(self.c.name_of(symbol) for symbol in self.streams)
        body = (*entry_checks(self.c, self.model), *self.c.body(self.model.function.body))
        arrays = tuple((source, tensor.name) for tensor, source in self.tensors.values())
        host = ir_host.Host(body, tuple(self.scalars), streams, arrays)
        return HostPart(host, dict(self.c.known), self.tensors, tuple(self.kernels), dict(self.c.tuples))

    def _scalars(self) -> list[tuple[str, str, str]]:
        found = []
        for symbol in self.model.symbols:
            if symbol.kind is SymbolKind.DIMENSION:
                elem = "s32"
            elif symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Scalar):
                elem = printable(canonical(symbol.type.elem), symbol.name_span)
            else:
                continue
            name = self.c.name_of(symbol)
            self.c.sizes[symbol.atom or symbol.name] = Var(name, elem)
            found.append((name, symbol.name, elem))
        return found

    def _arrays(self) -> dict[Symbol, tuple[Tensor, str]]:
        """Parameters in order, then what the host part declares."""
        found: dict[Symbol, tuple[Tensor, str]] = {}
        taken: set[str] = set()
        for symbol in self.model.symbols:
            data = array_data(symbol)
            if data is None or symbol.decl in self.inside:
                continue
            tensor = self.c.tensors[symbol] = array_tensor(self.c, symbol, data)
            source = symbol.name if symbol.name not in taken else tensor.name
            taken.add(source)
            found[symbol] = tensor, source
        return found

    # --- statements -------------------------------------------------------------------------------

    def _statements(self) -> dict[type, Callable[[Context, Any], Built]]:
        return {
            **CONTROL,
            ast.Parallel: self._launch,
            ast.Return: self._return,
            ast.Assert: self._assert,
            ast.Sync: self._sync,
            ast.BufferDecl: self._buffer,
            ast.Copy: self._copy,
            ast.Wait: self._wait,
            ast.EventDecl: self._event,
            ast.CallStmt: self._call,
        }

    def _launch(self, c: Context, node: ast.Parallel) -> Built:
        stream = "" if node.stream is None else c.name_of(c.symbol(node.stream))
        if not stream and self.streams and not self.bound:
            stream = c.name_of(self.streams[0])  # nothing is bound: all of it runs there (9.13)
        return [ir_host.Launch(node.span, self.numbers[node], stream, not node.is_async)]

    def _return(self, c: Context, node: ast.Return) -> Built:
        if node.value is None:
            return [ir_host.Finish(node.span)]
        inner: ast.Node = node.value
        while isinstance(inner, ast.Paren):
            inner = inner.inner
        symbol = self.model.uses.get(inner) if isinstance(inner, ast.Name) else None
        if symbol is not None and symbol in c.tensors:
            return [ir_host.Finish(node.span, self.tensors[symbol][1])]
        return [ir_host.Finish(node.span, value=value(c, node.value))]

    def _assert(self, c: Context, node: ast.Assert) -> Built:
        cond = c.expr(node.cond)
        return [] if cond == Lit(True, "bool") else [ir_host.Require(node.span, cond, node.message.value)]

    def _sync(self, c: Context, node: ast.Sync) -> Built:
        return [ir_host.Join(node.span)]

    def _event(self, c: Context, node: ast.EventDecl) -> Built:
        raise LoweringError("events of the host part are not lowered: launches follow each other as written", node.span)

    def _call(self, c: Context, node: ast.CallStmt) -> Built:
        raise LoweringError("the host part calls no device functions: call them in a parallel", node.span)

    # --- data -------------------------------------------------------------------------------------

    def _buffer(self, c: Context, node: ast.BufferDecl) -> Built:
        """Fills with a value, or zeros: those once where the card's memory starts so, else each time."""
        found: Built = []
        for name in node.names:
            symbol = c.symbol(name.name)
            if name.fill is None and node.storage is not None:
                continue
            if name.fill is None and node not in self.looped:
                found.append(ir_host.Zero(node.span, self.tensors[symbol][1]))
                continue
            start = ZERO if name.fill is None else value(c, name.fill)
            found.append(self._own(filling(self._own_kernel("fill", node), self.tensors[symbol], start)))
        return found

    def _copy(self, c: Context, node: ast.Copy) -> Built:
        arrays = {tensor.name: (tensor, source) for tensor, source in self.tensors.values()}
        return [self._own(copying(c, self._own_kernel("copy", node), node, arrays))]

    def _wait(self, c: Context, node: ast.Wait) -> Built:
        """Copies of the host part are complete behind their launch, as others that follow it see them."""
        if not all(isinstance(self.model.types.get(ref), Future) for ref in node.refs):
            raise LoweringError(
                "the host part does not wait for events: launches follow each other as written", node.span
            )
        return []

    def _own_kernel(self, word: str, node: ast.Node) -> OwnKernel:
        """The next kernel of the host part, which may take any of its values so far."""
        known = {name: elem for name, _, elem in self.scalars}
        known |= {name: value_elem(symbol) for symbol, name in self.c.known.items() if is_value(symbol)}
        number = f"_{len(self.kernels) + 1}" if self.kernels else ""
        name = self.names.another(f"{word}{number}", self.c.names)
        return OwnKernel(name, node.span, tuple(known.items()))

    def _own(self, made: ir.Kernel) -> ir.Stmt:
        self.kernels.append(made)
        stream = self.c.name_of(self.streams[0]) if self.streams else ""
        return ir_host.Launch(made.span, len(self.numbers) + len(self.kernels) - 1, stream)


def array_data(symbol: Symbol) -> Data | None:
    """The shape and type of an array that a host part may have: a parameter, a buffer, what a copy made."""
    if isinstance(symbol.type, Data) and symbol.kind in (SymbolKind.PARAM, SymbolKind.BUFFER):
        return symbol.type
    made = symbol.type.data if isinstance(symbol.type, Future) and symbol.kind is SymbolKind.FUTURE else None
    return made if made is not None and made.storage is Storage.GLOBAL else None


def is_value(symbol: Symbol) -> bool:
    """Whether a symbol is a scalar that a launch can hand to its kernel."""
    return isinstance(symbol.type, Scalar | Bounded)


def value_elem(symbol: Symbol) -> str:
    """The type of such a scalar."""
    return canonical(symbol.type.elem) if isinstance(symbol.type, Scalar) else "s32"


def _element(c: Context, node: ast.Chain) -> Expr:
    view = c.model.views.get(node)
    if view is not None and view.element is not None:
        raise LoweringError("the host part cannot look at elements of data: do it in a parallel", node.span)
    return EXPRESSIONS[ast.Chain](c, node)


def _foreign(c: Context, node: ast.Call) -> Expr:
    raise LoweringError("the host part calls no device functions: call them in a parallel", node.span)


_EXPRESSIONS: dict[type, Callable[[Context, Any], Expr]] = {ast.Chain: _element, ast.Call: _foreign}
