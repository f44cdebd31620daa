"""Shapes and tuples: flattening lists, arithmetic element by element, derivations (3.2). Must not type scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from croqc.sema import rulenames as rules
from croqc.sema.convert import is_integer
from croqc.sema.describe import describe
from croqc.sema.integers import quotient, remainder
from croqc.sema.symbolic import Int, same
from croqc.sema.types import (
    Bounded,
    BoundedTuple,
    Data,
    Future,
    Scalar,
    ShapeType,
    TupleType,
    Type,
    Unknown,
)
from croqc.sema.walk import MAX_SIZE, NOTHING, Value, Walk
from croqc.syntax import ast
from croqc.text.record import record


@record
class Item:
    """One integer of a list after flattening: where it is written, its value, its bound if it has one."""

    node: ast.Expr
    value: Int | None
    bound: Int | None
    type: Type


def entries(value: Value) -> tuple[Int | None, ...] | None:
    """The integers of a shape, tuple or bounded tuple; None for all else."""
    match value.type:
        case ShapeType(dims=dims):
            return dims
        case TupleType(items=items):
            return items
        case BoundedTuple():
            return value.items
    return None


def flatten(walk: Walk, nodes: Iterable[ast.Expr]) -> list[Item]:
    """The items of a list, shapes and tuples spread out (3.2, 3.5)."""
    items: list[Item] = []
    for node in nodes:
        value = walk.expr(node)
        parts = entries(value)
        if isinstance(value.type, BoundedTuple):
            items += [Item(node, *pair, value.type) for pair in zip(value.items, value.type.bounds, strict=True)]
        elif parts is not None:
            items += [Item(node, part, None, value.type) for part in parts]
        else:
            bound = value.type.bound if isinstance(value.type, Bounded) else None
            items.append(Item(node, value.int, bound, value.type))
    return items


def known(walk: Walk, node: ast.Node, value: Int | None, name: str = "") -> Int:
    """The value, or a fresh symbol for one that is not known."""
    if value is not None and value.size <= MAX_SIZE:
        return value
    return Int.of(walk.scopes.atom(name or "?"))


def check_members(walk: Walk, items: Iterable[Item], what: str, may_change: bool = False) -> None:
    """Only immutable integers may stand in a shape or tuple (S02); a bare index is rarely meant (S13)."""
    for item in items:
        type_ = item.type
        if what == "shape" and not may_change and (name := _bare_index(item)):
            walk.b.report(rules.BOUNDED_EXTENT, item.node.span, x=name)
        if isinstance(type_, Unknown | ShapeType | TupleType | BoundedTuple):
            continue
        changes = isinstance(type_, Scalar) and type_.mutable and not may_change
        if not is_integer(type_) or changes:
            walk.b.report(rules.SHAPE_MEMBER, item.node.span, t=describe(type_), mutable=changes, what=what)


def _bare_index(item: Item) -> str:
    """The name, if the item is an index itself: its value is hardly meant as an extent (S13), nothing follows."""
    return item.node.id if isinstance(item.type, Bounded | BoundedTuple) and isinstance(item.node, ast.Name) else ""


def check_positive(walk: Walk, dims: Iterable[Int], places: Iterable[ast.Node]) -> None:
    """A static extent is at least 1 (S01)."""
    for number_, (dim, place) in enumerate(zip(dims, places, strict=True)):
        if dim.const is not None and dim.const < 1:
            walk.b.report(rules.BAD_EXTENT, place.span, v=dim.const, d=number_)


def extents_of(walk: Walk, nodes: tuple[ast.Expr, ...], may_change: bool = False) -> tuple[Int, ...]:
    """The extents that a bracket list spells, checked; unknown and impossible ones become fresh symbols."""
    items = flatten(walk, nodes)
    check_members(walk, items, "shape", may_change)
    dims = tuple(known(walk, item.node, None if _bare_index(item) else item.value) for item in items)
    check_positive(walk, dims, [item.node for item in items])
    return tuple(dim if dim.const is None or dim.const > 0 else known(walk, items[0].node, None) for dim in dims)


# --- arithmetic ----------------------------------------------------------------------------------

_OPS: dict[str, Callable[[Int, Int], Int]] = {
    "+": Int.__add__,
    "-": Int.__sub__,
    "*": Int.__mul__,
    "/": Int.floordiv,
    "%": Int.mod,
    "cdiv": Int.cdiv,
}


def _apply(walk: Walk, op: str, a: Int | None, b: Int | None, extents: bool) -> Int | None:
    """Extents are positive, so division may round down; of other values, and by a negative constant, it truncates
    (3.2)."""
    if a is None or b is None:
        return None
    x, y = a.const, b.const
    if op in ("/", "%") and x is not None and y:
        return Int.of(quotient(x, y) if op == "/" else remainder(x, y))
    return walk.ranges.divided(op, a, b) if op in ("/", "%") and not extents else _OPS[op](a, b)


def _bounded(value: Int | None) -> Int | None:
    return value if value is None or value.size <= MAX_SIZE else None


def combine(walk: Walk, node: ast.Node, op: str, left: Value, right: Value) -> Value:
    """Arithmetic where at least one side is a shape or tuple: the table of 3.2."""
    a, b = entries(left), entries(right)
    kinds = (type(left.type), type(right.type))
    if not _is_allowed(op, left.type, right.type):
        walk.b.report(rules.SHAPE_OPERANDS, node.span, op=op, t1=describe(left.type), t2=describe(right.type))
        return NOTHING
    if a is None:
        a = (left.int,) * len(b or ())
    if b is None:
        b = (right.int,) * len(a)
    if len(a) != len(b):
        walk.b.report(rules.RANK_MISMATCH, node.span, a=len(a), b=len(b))
        return NOTHING
    if op in ("/", "%", "cdiv") and any(part is not None and part.const == 0 for part in b):
        walk.b.report(rules.DIVISION_BY_ZERO, _divisor(node).span, op=op)
        return NOTHING
    extents = isinstance(left.type, ShapeType)
    results = tuple(_bounded(_apply(walk, op, x, y, extents)) for x, y in zip(a, b, strict=True))
    if ShapeType in kinds and kinds != (ShapeType, ShapeType):
        dims = tuple(known(walk, node, part) for part in results)
        check_positive(walk, dims, [node] * len(dims))
        return Value(ShapeType(dims))
    if isinstance(left.type, BoundedTuple):
        return Value(left.type, None, results)
    return Value(TupleType(results))


def _divisor(node: ast.Node) -> ast.Node:
    match node:
        case ast.Binary(right=right):
            return right
        case ast.Builtin(args=(_, second)):
            return second
    return node


def _is_allowed(op: str, left: Type, right: Type) -> bool:
    if op not in _OPS:
        return False
    match left, right:
        case ShapeType(), ShapeType():
            return op in ("/", "%", "cdiv")
        case (ShapeType(), TupleType()) | (TupleType(), ShapeType()) | (BoundedTuple(), TupleType()):
            return True
        case (ShapeType() | TupleType() | BoundedTuple(), _):
            return is_integer(right)
        case (_, ShapeType() | TupleType()):
            return is_integer(left)
    return False


# --- derivations and picks -----------------------------------------------------------------------


def derive(walk: Walk, base: tuple[Int | None, ...], nodes: tuple[ast.Expr, ...]) -> list[Item]:
    """The items of `t {(1), 2}` or `s[(1), (0)/2]`: `(k)` stands for element k of the base (3.2)."""
    outer, walk.base = walk.base, base
    try:
        return flatten(walk, nodes)
    finally:
        walk.base = outer


def pick(walk: Walk, node: ast.Node, parts: tuple[Int | None, ...], index: Int | None) -> int | None:
    """The position that an index names, negative ones counted from the end; S07 if it does not exist."""
    place = None if index is None else index.const
    if place is None:
        return None
    if not -len(parts) <= place < len(parts):
        walk.b.report(rules.DIMENSION_INDEX, node.span, k=place, r=len(parts))
        return None
    return place % len(parts)


def shape_of(type_: Type) -> tuple[Int, ...] | None:
    """The extents of something that has a shape."""
    match type_:
        case ShapeType(dims=dims):
            return dims
        case Data(shape=shape) | Future(data=Data(shape=shape)):
            return shape
    return None


def first_difference(a: tuple[Int, ...], b: tuple[Int, ...]) -> int | None:
    """The first dimension in which two shapes provably differ; ranks that differ do so behind the shorter."""
    for place, (x, y) in enumerate(zip(a, b, strict=False)):
        if same(x, y) is False:
            return place
    return None if len(a) == len(b) else min(len(a), len(b))


def product(dims: Iterable[Int]) -> Int | None:
    """The element count; None where it would be too long to write."""
    total = Int.of(1)
    for dim in dims:
        total = total * dim
        if total.size > MAX_SIZE:
            return None
    return total
