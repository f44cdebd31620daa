"""Checks of indices: count, type, and proven violations of an extent (V02, V06, V07, V15 to V18, Q06)."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.sema import rulenames as rules
from croqc.sema.convert import is_integer
from croqc.sema.describe import describe
from croqc.sema.shapes import Item, flatten
from croqc.sema.symbolic import Int
from croqc.sema.types import BoundedTuple, ShapeType, TupleType, Unknown
from croqc.sema.walk import Walk
from croqc.syntax import ast

_ONE = Int.of(1)


def is_wild(node: ast.Node) -> bool:
    """`_`, which `chunkat` and its like take for the whole extent (3.5)."""
    return isinstance(node, ast.Name) and node.id == "_"


def items_of(walk: Walk, nodes: Iterable[ast.Expr]) -> list[Item]:
    """The items of an argument list, flattened; `_` has value 0 and bound 1."""
    items: list[Item] = []
    for node in nodes:
        if is_wild(node):
            items.append(Item(node, Int.of(0), _ONE, Unknown()))
        else:
            items += flatten(walk, (node,))
    return items


def check_integers(walk: Walk, items: Iterable[Item]) -> None:
    """Every item is an integer (V18)."""
    for item in items:
        if not isinstance(item.type, Unknown | ShapeType | TupleType | BoundedTuple) and not is_integer(item.type):
            walk.b.report(rules.INDEX_TYPE, item.node.span, t=describe(item.type))


def check_count(walk: Walk, node: ast.Node, op: str, rank: int, items: list[Item], counted: bool) -> bool:
    """As many items as dimensions (V02). Not `counted`: an item is missing or unknown, so nothing is said."""
    if len(items) == rank:
        return True
    if counted:
        walk.b.report(rules.VIEW_ITEM_COUNT, node.span, op=op, r=rank, k=len(items))
    return False


def countable(items: Iterable[Item]) -> bool:
    """Whether the number of items is certain: no unknown name among them could be a tuple."""
    return all(not isinstance(item.type, Unknown) or is_wild(item.node) for item in items)


def reaches(walk: Walk, value: Int, extent: Int) -> Int | None:
    """The greatest value, if it provably is not below the extent."""
    top = walk.ranges.greatest(value)
    return top if top is not None and walk.ranges.is_natural(top - extent) else None


def falls_below(walk: Walk, value: Int) -> Int | None:
    """The least value, if it provably is negative."""
    bottom = walk.ranges.least(value)
    return bottom if bottom is not None and walk.ranges.is_positive(-bottom) else None


def check_index(walk: Walk, item: Item, extent: Int, kind: str, dim: int, name: str) -> None:
    """An index stays within `0 .. extent - 1`; only proven violations are errors."""
    if item.value is None:
        return
    top, bottom = reaches(walk, item.value, extent), falls_below(walk, item.value)
    if top is not None or bottom is not None:
        walk.b.report(
            rules.INDEX_OUT_OF_RANGE,
            item.node.span,
            kind=kind,
            least=str(bottom if bottom is not None else walk.ranges.least(item.value) or ""),
            greatest=str(top if top is not None else walk.ranges.greatest(item.value) or ""),
            extent=str(extent),
            d=dim,
            name=name,
            low=top is None,
        )


def check_subscript(walk: Walk, node: ast.Expr, extent: int, kind: str, dim: int, name: str) -> None:
    """One subscript of an array of buffers, events or fragments (V17, Q06)."""
    items = flatten(walk, (node,))
    check_integers(walk, items)
    for item in items[:1]:
        check_index(walk, item, Int.of(extent), kind, dim, name)
