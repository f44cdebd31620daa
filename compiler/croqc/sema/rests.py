"""Sizes whose rest no index reaches: `parallel b by M / 16` leaves the last M % 16 rows of the data alone (8.10).

Needs types, values and views. Told only where nothing else in the function speaks of the size: a guard, a remainder, a
`cdiv` or the whole data may take care of the rest. Must not judge what the elements are used for.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.model import SymbolKind
from croqc.sema.symbolic import Int, Part
from croqc.sema.types import ShapeType, data_of
from croqc.syntax import ast
from croqc.syntax.visit import children, nodes_of_kind
from croqc.text.span import Span

_LEAVES = (ast.Name, ast.Chain, ast.Count, ast.BoundOf)


class _Role(Enum):
    """What an expression is for."""

    COUNT = "how many turns or threads there are"
    NEUTRAL = "a value that is used elsewhere, or a condition that only compares"
    OTHER = "anything else"


def check_rests(builder: Builder) -> None:
    """One note for each size and tile that only whole tiles are counted of, at the first count."""
    counts: dict[tuple[str, int], Span] = {}
    for node in _counted(builder.function):
        if (found := _whole_tiles(builder.values.get(node))) is not None:
            counts[found] = min(counts.get(found, node.span), node.span)
    if not counts:  # as in most functions, which need not be gone through for their sizes
        return
    elsewhere, extents = _elsewhere(builder), _extents(builder)
    for (size, tile), span in counts.items():
        whole = Int.of(size).floordiv(Int.of(tile))  # data of that extent is what the tiles were made for
        if size not in elsewhere and Int.of(size) in extents and whole not in extents:
            builder.report(rules.DROPPED_REST, span, size=size, tile=tile)


def _counted(function: ast.Function) -> Iterator[ast.Node]:
    """How many turns or threads there are, those of a shape one by one."""
    extents = [bound for axis in nodes_of_kind(function, ast.Axis) for bound in axis.bounds]
    extents += [one.extent for one in nodes_of_kind(function, ast.Binding) if one.extent is not None]
    for extent in extents:
        yield from extent.items if isinstance(extent, ast.ShapeLit | ast.TupleLit) else (extent,)


def _elsewhere(builder: Builder) -> set[str]:
    """The sizes that the function speaks of beside its counts of whole tiles."""
    found = {symbol.name for symbol in builder.mentioned}
    for node, role in _expressions(builder.function.body):
        for leaf in _leaves(builder, node, role is not _Role.OTHER):
            found |= _sizes(builder, leaf)
    return found


def _expressions(body: ast.Node) -> Iterator[tuple[ast.Node, _Role]]:
    """The expressions of all statements with their roles; shapes of declarations count nothing."""
    stack: list[ast.Node] = [body]
    while stack:
        node = stack.pop()
        for child in children(node):
            role = _role(node, child)
            if isinstance(child, ast.ShapeLit | ast.TupleLit) and role is _Role.COUNT:
                yield from ((item, role) for item in child.items)
            elif isinstance(child, ast.Expr):
                yield child, role
            elif not isinstance(child, ast.BufferDecl | ast.Return):
                stack.append(child)


def _role(parent: ast.Node, child: ast.Node) -> _Role:
    match parent:
        case ast.Axis(bounds=bounds) if child in bounds:
            return _Role.COUNT
        case ast.Binding(extent=extent) if child is extent:
            return _Role.COUNT
        case ast.AssignPart(value=value) | ast.ScalarInit(value=value) if child is value:
            return _Role.NEUTRAL
        case ast.If(cond=cond) | ast.While(cond=cond) if child is cond:
            return _Role.NEUTRAL
    return _Role.OTHER


def _leaves(builder: Builder, node: ast.Node, whole: bool) -> Iterator[ast.Node]:
    """The leaves of an expression; with `whole`, a size that is cut into whole tiles is none."""
    stack = [node]
    while stack:
        top = stack.pop()
        if whole and _whole_tiles(builder.values.get(top)) is not None:
            continue
        if isinstance(top, _LEAVES):
            yield top
        inner = children(top)
        stack += inner[1:] if isinstance(top, ast.Chain) else () if isinstance(top, ast.BoundOf) else inner


def _whole_tiles(value: Int | None) -> tuple[str, int] | None:
    """The size and the tile of `size / tile`, or of a multiple of it."""
    if value is None or len(value.terms) != 1 or len(value.terms[0][0]) != 1:
        return None
    atom = value.terms[0][0][0]
    if isinstance(atom, str) or atom.op not in ("/", "quot"):
        return None
    size, tile = _symbol(atom), atom.b.const
    return (size, tile) if size is not None and tile is not None and tile > 1 else None


def _symbol(part: Part) -> str | None:
    names = part.a.names()
    name = next(iter(names), "")
    return name if len(names) == 1 and part.a == Int.of(name) else None


def _sizes(builder: Builder, leaf: ast.Node) -> set[str]:
    """The sizes that a leaf speaks of: as its value, as a shape, or as whole data."""
    value, type_ = builder.values.get(leaf), builder.type_of(leaf)
    found = set() if value is None else set(value.names())
    if isinstance(type_, ShapeType):
        found |= {name for dim in type_.dims for name in dim.names()}
    view = builder.views.get(leaf)
    placed = view is not None and (view.ops or view.element is not None)
    data = None if placed else data_of(type_)
    return found if data is None else found | {name for dim in data.shape for name in dim.names()}


def _extents(builder: Builder) -> set[Int]:
    """The extents of the parameters' data and of what the host declares."""
    kinds = (SymbolKind.PARAM, SymbolKind.BUFFER)
    shapes = [data_of(symbol.type) for symbol in builder.symbols if symbol.kind in kinds]
    return {dim for data in shapes if data is not None for dim in data.shape}
