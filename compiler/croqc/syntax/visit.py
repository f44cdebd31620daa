"""Walking a tree and comparing two. Must not interpret what it walks over."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar, cast

from croqc.syntax.exprs import Node
from croqc.text.span import Span

N = TypeVar("N", bound=Node)
_MANY = 16  # children that are not looked through one by one
_FIELDS: dict[type[Node], tuple[str, ...]] = {}
# Annotations of fields that hold no nodes: half of all, and this is the hottest loop of analysis.
_PLAIN = frozenset(
    {
        "str",
        "bool",
        "int",
        "float",
        "Span",
        "str | None",
        "int | None",
        "tuple[int, ...]",
        "tuple[str, ...]",
        "Doubts | None",
    }
)


def _child_fields(kind: type[Node]) -> tuple[str, ...]:
    names = _FIELDS.get(kind)
    if names is None:
        notes: dict[str, str] = {}
        for base in reversed(kind.__mro__):
            notes |= vars(base).get("__annotations__", {})
        names = _FIELDS[kind] = tuple(name for name in kind.__match_args__ if notes[name] not in _PLAIN)
    return names


def _collect(values: tuple[object, ...], into: list[Node]) -> None:
    for value in values:
        if isinstance(value, Node):
            into.append(value)
        elif isinstance(value, tuple):
            _collect(value, into)


@lru_cache(maxsize=1 << 15)  # a dozen stages walk the same tree, and nodes never change
def children(node: Node) -> tuple[Node, ...]:
    """The direct children in source order of the fields."""
    found: list[Node] = []
    kind = type(node)
    names = _FIELDS.get(kind)
    for name in _child_fields(kind) if names is None else names:
        value = getattr(node, name)
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            _collect(value, found)
    return tuple(found)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        if _FIELDS.get(type(top)) != ():
            stack.extend(children(top)[::-1])


def covering(node: Node, span: Span) -> list[Node]:
    """The nodes that cover a place, from the given one down to the innermost; of several that do, the first."""
    path = [node]
    while (inner := _child_over(path[-1], span)) is not None:
        path.append(inner)
    return path


def _child_over(node: Node, span: Span) -> Node | None:
    ends = _ends(node)
    below = children(node)
    if ends is not None:  # a block with thousands of statements is asked for each of them
        at = bisect_left(ends, span.end)
        return below[at] if at < len(below) and below[at].span.start <= span.start else None
    return next((one for one in below if one.span.start <= span.start and span.end <= one.span.end), None)


@lru_cache(maxsize=1 << 10)
def _ends(node: Node) -> list[int] | None:
    """Where the children end, if they follow one another in the text; None where they do not, or are few."""
    below = children(node)
    if len(below) < _MANY:
        return None
    in_order = all(a.span.start <= b.span.start and a.span.end <= b.span.end for a, b in pairwise(below))
    return [one.span.end for one in below] if in_order else None


@lru_cache(maxsize=16)
def nodes_of(node: Node) -> tuple[Node, ...]:
    """All of `walk`, kept for the last few roots: the steps of a verdict go through one kernel a dozen times."""
    found, stack = [], [node]
    while stack:  # as `walk`, which hands each out by itself
        top = stack.pop()
        found.append(top)
        if _FIELDS.get(type(top)) != ():  # half of all have no fields for children
            stack.extend(children(top)[::-1])
    return tuple(found)


@lru_cache(maxsize=16)
def _by_kind(node: Node) -> dict[type[Node], list[Node]]:
    found: dict[type[Node], list[Node]] = {}
    for each in nodes_of(node):
        kind = type(each)
        if kind in found:
            found[kind].append(each)
        else:
            found[kind] = [each]
    return found


def nodes_of_kind(node: Node, kind: type[N]) -> Sequence[N]:
    """The nodes of one class, of `nodes_of`."""
    return cast("Sequence[N]", _by_kind(node).get(kind, ()))


POSITIONAL = {"span", "name_span", "op_span", "event_span", "callee_span", "level_span_start", "macro", "doubts"}


def shape_of(value: object) -> object:
    """A nested tuple that is equal for two trees iff they differ in positions and macro origins only."""
    if isinstance(value, Node):
        names = [name for name in value.__match_args__ if name not in POSITIONAL]
        return (type(value).__name__, *(shape_of(getattr(value, name)) for name in names))
    if isinstance(value, tuple):
        return tuple(shape_of(item) for item in value)
    return value
