"""Walking a function with what stands around each statement. Must not look at types or report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import get_args

from croqc.syntax import ast
from croqc.syntax.visit import children, walk
from croqc.text.record import record

_BODIES = (ast.Block, ast.Parallel, ast.With, ast.Foreach, ast.If, ast.While, ast.InThreads, ast.Apply)


@record
class Around:
    """What encloses a statement, outermost first. `chain` holds all enclosing statements in order. Statements side by
    side share one, so that what a stage has looked up in it the next ones find."""

    chain: tuple[ast.Node, ...] = ()

    @cached_property
    def parallels(self) -> tuple[ast.Parallel, ...]:
        return tuple(node for node in self.chain if isinstance(node, ast.Parallel))

    @property
    def parallel(self) -> ast.Parallel | None:
        """The innermost one."""
        return self.parallels[-1] if self.parallels else None

    @cached_property
    def regions(self) -> tuple[ast.InThreads, ...]:
        return tuple(node for node in self.chain if isinstance(node, ast.InThreads))

    @cached_property
    def axes(self) -> tuple[ast.Axis, ...]:
        return tuple(axis for node in self.parallels for axis in node.axes)

    @property
    def on_host(self) -> bool:
        return not self.parallels

    def inside(self, node: ast.Node) -> Around:
        return Around((*self.chain, node))


def in_else(condition: ast.If, node: ast.Node) -> bool:
    """Whether a statement under an `if` stands in its `else`. Spans alone do not tell: what one macro makes has one."""
    other = condition.other
    return other is not None and other.span.contains(node.span.start) and any(one is node for one in walk(other))


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
