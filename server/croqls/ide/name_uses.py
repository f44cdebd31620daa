"""Which names of a function are written: by assignment, copy, multiply, trigger. Must not know places or LSP types."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from croqc.sema.writes import targets
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of


@lru_cache(maxsize=16)
def writes(function: ast.Function) -> frozenset[ast.Name]:
    """The names whose thing changes where they stand: targets of assignments and transfers, accumulators, arguments of
    `swap`, events that are triggered, what an atomic function is given first."""
    return frozenset(name for node in nodes_of(function) for target in _targets(node) for name in _base(target))


def _targets(node: ast.Node) -> Iterator[object]:
    yield from targets(node)
    if isinstance(node, ast.Trigger):
        yield from node.refs


def _base(target: object) -> Iterator[ast.Name]:
    """The name whose thing a target is, or a part of."""
    if isinstance(target, ast.Name):
        yield target
    elif isinstance(target, ast.Chain):
        yield from _base(target.base)
    elif isinstance(target, ast.Select):
        for option in target.options:
            yield from _base(option)
