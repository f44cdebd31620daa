"""Levels inside each other, from a `parallel` down (reference, 4.1). Must not know their sizes."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.syntax import ast
from croqc.syntax.visit import children

Chain = tuple[ast.Axis, ...]
"""From an outermost level to one that has no more inside."""


def level_chains(node: ast.Node) -> Iterator[Chain]:
    """The chains of a node. Inside one, levels multiply; beside each other they divide the same block."""
    below = [chain for child in children(node) for chain in level_chains(child)]
    own = node.axes if isinstance(node, ast.Parallel) else ()
    yield from ((*own, *chain) for chain in below or ([()] if own else []))
