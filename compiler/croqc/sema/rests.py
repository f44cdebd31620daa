"""Sizes whose rest no index reaches: `parallel b by M / 16` leaves the last M % 16 rows of the data alone (8.10).

Needs types, values and views. Told only where nothing else in the function speaks of the size: a guard, a remainder, a
`cdiv` or the whole data may take care of the rest. Must not judge what the data's elements are used for.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema import rulenames as rules
from croqc.sema.builder import Builder
from croqc.sema.model import SymbolKind
from croqc.sema.symbolic import Int, Part
from croqc.sema.types import data_of
from croqc.syntax import ast
from croqc.syntax.visit import children
from croqc.text.span import Span

_LEAVES = (ast.Name, ast.Chain, ast.Count, ast.BoundOf)


def check_rests(builder: Builder) -> None:
    """One note for each size and tile that only whole tiles are counted of, at the first count."""
    counts: dict[tuple[str, int], Span] = {}
    elsewhere: set[str] = set()
    for node, counted in _expressions(builder.function.body):
        found = _whole_tiles(builder.values.get(node))
        if found is None:
            elsewhere |= _sizes(builder, node)
        elif counted:
            counts.setdefault(found, node.span)
        else:
            elsewhere.add(found[0])
    extents = _extents(builder)
    for (size, tile), span in counts.items():
        part = Int.of(size).div(Int.of(tile))
        if size not in elsewhere and Int.of(size) in extents and part not in extents:
            builder.report(rules.DROPPED_REST, span, size=size, tile=tile)


def _expressions(body: ast.Node) -> Iterator[tuple[ast.Expr, bool]]:
    """What the statements are written with, and whether it counts the turns or threads that there are."""
    stack: list[ast.Node] = [body]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.BufferDecl):
            continue
        counts = node.bounds if isinstance(node, ast.Axis) else (node.extent,) if isinstance(node, ast.Binding) else ()
        for child in children(node):
            counted = any(child is one for one in counts)
            if isinstance(child, ast.ShapeLit) and counted:
                yield from ((item, True) for item in child.items)
            elif isinstance(child, ast.Expr):
                yield child, counted or (isinstance(node, ast.AssignPart) and child is node.value)
            else:
                stack.append(child)
