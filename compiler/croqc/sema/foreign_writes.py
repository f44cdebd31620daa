"""Variables that C++ and PTX may write: what a called function takes by reference or by its address, what an island
names, what an `asm` has as output. Must not follow the text: whatever may be written, is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from croqc.sema.model import Model, Symbol
from croqc.syntax import ast


def foreign_writes(model: Model, node: ast.Node) -> Iterator[Symbol]:
    """The mutable variables that a node may give another value without an assignment of the language (4.6, 2.5)."""
    match node:
        case ast.Call(kind="call"):
            yield from _mutable(model, _handed(model, node))
        case ast.Asm():
            yield from _mutable(model, (_bare(operand.value) for operand in node.outputs))
        case ast.Cpp():
            named = model.islands.get(node, {}).values()
            yield from sorted((symbol for symbol in named if symbol.mutable), key=lambda symbol: symbol.name_span)


def _handed(model: Model, call: ast.Call) -> Iterator[ast.Node]:
    by_value = call.callee.rpartition("::")[2] in model.context.by_value
    for arg in map(_bare, call.args):
        if isinstance(arg, ast.AddressOf):
            yield _bare(arg.operand)
        elif not by_value:
            yield arg


def _mutable(model: Model, nodes: Iterable[ast.Node]) -> Iterator[Symbol]:
    for node in nodes:
        symbol = model.uses.get(node) if isinstance(node, ast.Name) else None
        if symbol is not None and symbol.mutable:
            yield symbol


def _bare(node: ast.Node) -> ast.Node:
    while isinstance(node, ast.Paren):
        node = node.inner
    return node
