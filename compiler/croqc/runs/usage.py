"""Which data a kernel reads and which it writes, as far as its text says. Must not run anything."""

from __future__ import annotations

from dataclasses import dataclass

from croqc.sema.model import Model, Symbol, SymbolKind, View
from croqc.sema.types import Data
from croqc.syntax import ast
from croqc.syntax.visit import walk


@dataclass(frozen=True, slots=True)
class Usage:
    """Symbols of parameters and buffers that are read, and those that are written; a symbol may be both."""

    read: frozenset[Symbol]
    written: frozenset[Symbol]


class _Tracer:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.read: set[Symbol] = set()
        self.written: set[Symbol] = set()
        self.named_views: dict[Symbol, Symbol] = {}
        self.handled: set[ast.Node] = set()

    def base(self, view: View) -> Symbol:
        symbol = view.base
        while symbol in self.named_views:
            symbol = self.named_views[symbol]
        return symbol

    def write(self, node: ast.Node) -> None:
        self.handled.add(node)
        view = self.model.views.get(node)
        if view is not None:
            self.written.add(self.base(view))

    def visit(self, node: ast.Node) -> None:
        """Note what a statement writes, and the names that it gives to views."""
        match node:
            case ast.AssignPart(target=target, op=op, value=value):
                symbol = self.model.uses.get(target) if isinstance(target, ast.Name) else None
                view = self.model.views.get(value)
                if symbol is not None and view is not None and view.element is None:
                    self.named_views[symbol] = view.base
                    self.handled.update((target, value))
                else:
                    self.write(target)
                    if op != "=":
                        self.handled.discard(target)
            case ast.Chain(base=base):
                self.handled.add(base)  # the chain as a whole has a view of its own
            case ast.Copy(dest=dest) | ast.MmaStore(dest=dest):
                self.write(dest)
            case ast.Call(kind="call" | "intrinsic" | "atomic" as kind, args=args):
                for arg in args[:1] if kind == "atomic" else args:
                    self.write(arg)
                    self.handled.discard(arg)
            case ast.Cpp():
                named = self.model.islands.get(node, {}).values()
                self.read.update(named)
                self.written.update(named)
            case _:
                pass

    def finish(self) -> Usage:
        for node, view in self.model.views.items():
            if node not in self.handled:
                self.read.add(self.base(view))
        return Usage(frozenset(self.read), frozenset(self.written))


def usage_of(model: Model) -> Usage:
    """Reads and writes of a whole function. C++ is taken to read and write what it is given or names."""
    tracer = _Tracer(model)
    for node in walk(model.function):
        tracer.visit(node)
    return tracer.finish()


def poisoned(model: Model) -> frozenset[Symbol]:
    """The parameters that start poisoned: written, never read (decisions on values)."""
    usage = usage_of(model)
    only = usage.written - usage.read
    return frozenset(item for item in only if item.kind is SymbolKind.PARAM and isinstance(item.type, Data))
