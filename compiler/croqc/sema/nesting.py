"""Walking a function with what stands around each statement. Must not look at types or report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import get_args

from croqc.syntax import ast
from croqc.syntax.visit import children
from croqc.text.record import record, replace

_BODIES = (ast.Block, ast.Parallel, ast.With, ast.Foreach, ast.If, ast.While, ast.InThreads, ast.Apply)


@record
class Around:
    """What encloses a statement, outermost first. `chain` holds all enclosing statements in order."""

    chain: tuple[ast.Node, ...] = ()

    @property
    def parallels(self) -> tuple[ast.Parallel, ...]:
        return tuple(node for node in self.chain if isinstance(node, ast.Parallel))

    @property
    def regions(self) -> tuple[ast.InThreads, ...]:
        return tuple(node for node in self.chain if isinstance(node, ast.InThreads))

    @property
    def axes(self) -> tuple[ast.Axis, ...]:
        return tuple(axis for node in self.parallels for axis in node.axes)

    @property
    def on_host(self) -> bool:
        return not self.parallels

    def inside(self, node: ast.Node) -> Around:
        return replace(self, chain=(*self.chain, node))


def statements(body: ast.Node, around: Around | None = None) -> Iterator[tuple[ast.Node, Around]]:
    """Every statement under a body in source order with what is around it; blocks themselves are left out."""
    return iter(_statements(body, around or _NOTHING))


@lru_cache(maxsize=64)  # each stage goes through the same bodies, and nodes never change
def _statements(body: ast.Node, around: Around) -> tuple[tuple[ast.Node, Around], ...]:
    found: list[tuple[ast.Node, Around]] = []
    stack = [(child, around) for child in children(body)][::-1]
    while stack:
        node, here = stack.pop()
        if isinstance(node, ast.Block):
            stack += [(child, here) for child in children(node)][::-1]
        elif type(node) in _STATEMENTS:
            found.append((node, here))
            if isinstance(node, _BODIES):
                inner = here.inside(node)
                stack += [(child, inner) for child in children(node)][::-1]
    return tuple(found)


_NOTHING = Around()
_STATEMENTS = frozenset(get_args(ast.Stmt))
