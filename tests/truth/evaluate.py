"""Integers of a kernel at run time, for the unrolling: plain evaluation of the tree. Must not use the flow analysis."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from croqc.sema.model import Model, Symbol
from croqc.syntax import ast


class UnsupportedError(Exception):
    """The unrolling does not understand this: data decides, or a construct that no drawn kernel has."""


@dataclass(slots=True)
class Env:
    """Values by symbol; `bounds`: extents of loop and parallel indices."""

    model: Model
    values: dict[Symbol, Any]
    bounds: dict[Symbol, int] = field(default_factory=dict)

    def symbol(self, name: ast.Name) -> Symbol:
        symbol = self.model.uses.get(name)
        if symbol is None:
            raise UnsupportedError(f"'{name.id}' is not known")
        return symbol

    def dims(self) -> dict[str, int]:
        return {symbol.atom: value for symbol, value in self.values.items() if symbol.atom and isinstance(value, int)}

    def integer(self, node: ast.Node) -> int:
        value = self.value(node)
        if not isinstance(value, int):
            raise UnsupportedError(f"no integer at {node.span.start}")
        return int(value)

    def value(self, node: ast.Node) -> Any:
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            return handler(self, node)
        known = self.model.values.get(node)
        value = None if known is None else known.evaluate(self.dims())
        if value is None:
            raise UnsupportedError(f"{type(node).__name__} at {node.span.start}")
        return value

    def integers(self, node: ast.Node) -> list[int]:
        """The extents of a binding: one, or those of a shape literal."""
        if isinstance(node, ast.ShapeLit):
            return [self.integer(item) for item in node.items]
        return [self.integer(node)]


def _name(env: Env, node: ast.Name) -> Any:
    value = env.values.get(env.symbol(node))
    if value is None:
        raise UnsupportedError(f"'{node.id}' has no value")
    return value


def _binary(env: Env, node: ast.Binary) -> Any:
    if node.op == "&&":
        return bool(env.value(node.left)) and bool(env.value(node.right))
    if node.op == "||":
        return bool(env.value(node.left)) or bool(env.value(node.right))
    if node.op == "#":
        return env.integer(node.left) * _bound(env, node.right) + env.integer(node.right)
    if node.op not in _ARITHMETIC:
        raise UnsupportedError(f"operator {node.op}")
    left, right = env.integer(node.left), env.integer(node.right)
    if node.op in "/%" and right == 0:
        raise UnsupportedError("division by zero")
    return _ARITHMETIC[node.op](left, right)


def _bound(env: Env, node: ast.Node) -> int:
    if isinstance(node, ast.Name) and env.symbol(node) in env.bounds:
        return env.bounds[env.symbol(node)]
    raise UnsupportedError("no bound")


def _unary(env: Env, node: ast.Unary) -> Any:
    value = env.value(node.operand)
    return not value if node.op == "!" else -value if node.op == "-" else ~value


def _builtin(env: Env, node: ast.Builtin) -> Any:
    if node.name != "cdiv":
        raise UnsupportedError(node.name)
    a, b = (env.integer(arg) for arg in node.args)
    if b == 0:
        raise UnsupportedError("division by zero")
    return -(-a // b)


def _chain(env: Env, node: ast.Chain) -> Any:
    """A value of a bounded variable, `c(1)`; else an extent that the types know."""
    first = node.suffixes[0]
    if isinstance(first, ast.Pick) and isinstance(node.base, ast.Name) and env.symbol(node.base) in env.bounds:
        return env.integer(first.arg)
    known = env.model.values.get(node)
    value = None if known is None else known.evaluate(env.dims())
    if value is None:
        raise UnsupportedError(f"chain at {node.span.start}")
    return value


def _step(env: Env, node: ast.IncDec) -> int:
    symbol = env.symbol(node.name)
    old = env.values[symbol]
    env.values[symbol] = old + (1 if node.op == "++" else -1)
    return int(env.values[symbol] if node.prefix else old)


_ARITHMETIC: Mapping[str, Callable[[int, int], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: abs(a) // abs(b) * (1 if a * b >= 0 else -1),
    "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_HANDLERS: Mapping[type, Callable[[Env, Any], Any]] = {
    ast.Name: _name,
    ast.IntLit: lambda env, node: node.value,
    ast.Const: lambda env, node: node.word == "true",
    ast.Paren: lambda env, node: env.value(node.inner),
    ast.Binary: _binary,
    ast.Unary: _unary,
    ast.Cond: lambda env, node: env.value(node.then if env.value(node.test) else node.other),
    ast.Builtin: _builtin,
    ast.BoundOf: lambda env, node: _bound(env, node.name),
    ast.Chain: _chain,
    ast.IncDec: _step,
}
