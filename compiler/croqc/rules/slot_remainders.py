"""The remainders that say which slot of a ring is meant: only these may be given another modulus. Must not edit."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.refactor.base import Code
from croqc.sema.model import Symbol
from croqc.sema.types import Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk


def slot_remainders(code: Code, around: ast.Node) -> Iterator[ast.Binary]:
    """The remainders in the text that number a slot, in its index or by way of variables, in source order.

    `k % 4` in a condition or in an index of global memory means something else, whatever its modulus.
    """
    numbering = _numbering(code, around)
    for node in walk(around):
        if not isinstance(node, ast.Binary) or node.op != "%" or node.left.span.end > node.right.span.start:
            continue
        left = code.model.values.get(node.left)
        if node in numbering and (left is None or left.const is None):
            yield node


def _numbering(code: Code, around: ast.Node) -> set[ast.Node]:
    """Every part of an expression that a slot's number is made from."""
    given = _given(code, around)
    todo = [part for node in walk(around) for part in _indices(code, node)]
    parts: set[ast.Node] = set()
    while todo:
        for node in walk(todo.pop()):
            if node in parts:
                continue
            parts.add(node)
            symbol = code.model.uses.get(node) if isinstance(node, ast.Name) else None
            todo += given.pop(symbol, ()) if symbol is not None else ()
    return parts


def _indices(code: Code, node: ast.Node) -> list[ast.Node]:
    """What numbers a slot in a reference: the indices of an event or of memory of the block."""
    if not isinstance(node, ast.Chain):
        return []
    view = code.model.views.get(node)
    staged = view is not None and view.data.storage in (Storage.SHARED, Storage.LOCAL)
    return list(node.suffixes) if staged or code.event_of(node) is not None else []


def _given(code: Code, around: ast.Node) -> dict[Symbol, list[ast.Node]]:
    """What each variable is given, wherever that stands."""
    found: dict[Symbol, list[ast.Node]] = {}
    for node in walk(around):
        match node:
            case ast.AssignPart(target=ast.Name() as name, value=value) | ast.ScalarInit(name=name, value=value):
                symbol = code.model.uses.get(name)
                if symbol is not None and value is not None:
                    found.setdefault(symbol, []).append(value)
    return found
