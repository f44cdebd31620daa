"""Types and values of operators (2.5.1, tables of 3.1, 3.2 and 3.4)."""

from __future__ import annotations

from collections.abc import Callable

from croqc.sema import rulenames as rules
from croqc.sema import shapes
from croqc.sema.convert import convert, is_integer, number
from croqc.sema.describe import describe, extents
from croqc.sema.elements import canonical, common
from croqc.sema.guards import assume
from croqc.sema.integers import COMPARISONS, quotient, remainder
from croqc.sema.ranges import Ranges
from croqc.sema.symbolic import Int
from croqc.sema.types import (
    BOOL,
    Bounded,
    BoundedTuple,
    Data,
    Event,
    Fragment,
    Future,
    Scalar,
    ShapeType,
    Text,
    TupleType,
    Type,
    Unknown,
    bound_of,
)
from croqc.sema.walk import MAX_SIZE, NOTHING, ExprTable, Value, Walk
from croqc.syntax import ast

_ARITHMETIC = frozenset("+-*/%")
_LOGIC = frozenset(("&&", "||"))
_BITS = frozenset("&|^")


def _binary(walk: Walk, node: ast.Binary) -> Value:
    """The left spine of a long sum is walked in a loop, so that its length does not matter."""
    spine = [node]
    while isinstance(spine[-1].left, ast.Binary):
        spine.append(spine[-1].left)
    left = walk.expr(spine[-1].left)
    outer, before = walk.ranges, ""
    for link in reversed(spine):
        if link.op in _LOGIC:
            _enter_right_side(walk, link, outer, before)
        right, before = walk.expr(link.right), link.op
        left = operate(walk, link, link.op, (link.left, left), (link.right, right))
        if link is not node:
            left = walk.note(link, left)
    walk.ranges = outer
    return left


def _enter_right_side(walk: Walk, link: ast.Binary, outer: Ranges, before: str) -> None:
    """The right side of `&&` is evaluated where the left one holds, that of `||` where it fails. In a chain of one
    operator the ranges are narrowed by the links `before`."""
    left = link.left
    if before == link.op and isinstance(left, ast.Binary):
        left = left.right
    else:
        walk.ranges = outer.copy()
    assume(walk, left, holds=link.op == "&&")


Operand = tuple[ast.Node, Value]


def operate(walk: Walk, node: ast.Node, op: str, left: Operand, right: Operand) -> Value:
    """The result of one binary operator on typed operands."""
    truth = op in COMPARISONS or op in _LOGIC
    if isinstance(left[1].type, Unknown) or isinstance(right[1].type, Unknown):
        return Value(BOOL) if truth else NOTHING
    if _refuse_handles(walk, (left, right)):
        return NOTHING
    if op in _LOGIC:
        return _logic(walk, node, op, left, right)
    if op in COMPARISONS:
        return _compare(walk, node, op, left, right)
    if op in ("<<", ">>"):
        return _shift(walk, node, op, left, right)
    if op == "#":
        return _compose(walk, node, left[1], right[1])
    if op.startswith("#"):
        return _rebound(walk, node, op, left[1], right[1])
    if op in _BITS:
        return _bits(walk, node, op, left, right)
    return arithmetic(walk, node, op, left, right)


def _refuse_handles(walk: Walk, operands: tuple[Operand, ...]) -> bool:
    """Events and futures are no values (T18)."""
    refused = False
    for node, value in operands:
        if isinstance(value.type, Event | Future):
            name = node.id if isinstance(node, ast.Name) else ""
            walk.b.report(rules.NOT_A_VALUE, node.span, name=name, t=describe(value.type))
            refused = True
    return refused


def _bad(walk: Walk, node: ast.Node, op: str, left: Value, right: Value) -> Value:
    walk.b.report(rules.OPERAND_TYPES, node.span, op=op, t1=describe(left.type), t2=describe(right.type))
    return NOTHING


def _is_bool(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.elem == "bool"


def _logic(walk: Walk, node: ast.Node, op: str, left: Operand, right: Operand) -> Value:
    if not _is_bool(left[1].type) or not _is_bool(right[1].type):
        _bad(walk, node, op, left[1], right[1])
    return Value(BOOL)


def _compare(walk: Walk, node: ast.Node, op: str, left: Operand, right: Operand) -> Value:
    a, b = number(left[1].type), number(right[1].type)
    if a is not None and b is not None:
        _promote(walk, node, a, b, left, right)
    elif type(left[1].type) is not type(right[1].type) or not _comparable(left[1].type, op):
        _bad(walk, node, op, left[1], right[1])
    return Value(BOOL)


def _comparable(type_: Type, op: str) -> bool:
    """Texts do not compare, and truth values have no order."""
    return not isinstance(type_, Text) and (not _is_bool(type_) or op in ("==", "!="))


def _promote(walk: Walk, node: ast.Node, a: str, b: str, left: Operand, right: Operand) -> str | None:
    """The common type of two numbers, its implicit conversions reported (T13, T14, T16)."""
    elem = common(a, b)
    if elem is None:
        walk.b.report(rules.NO_COMMON_TYPE, node.span, t1=a, t2=b)
        return None
    if a != elem:
        convert(walk, *left, elem)
    if b != elem:
        convert(walk, *right, elem)
    return elem


def _shift(walk: Walk, node: ast.Node, op: str, left: Operand, right: Operand) -> Value:
    if not is_integer(left[1].type) or not is_integer(right[1].type):
        return _bad(walk, node, op, left[1], right[1])
    count = None if right[1].int is None else right[1].int.const
    if count is None:
        walk.b.report(rules.SHIFT_COUNT, right[0].span)
        return Value(_as_scalar(left[1].type))
    value = left[1].int
    if value is None or not 0 <= count < 64:
        return Value(_as_scalar(left[1].type))
    by = Int.of(1 << count)
    return Value(_as_scalar(left[1].type), value * by if op == "<<" else value.floordiv(by))


def _as_scalar(type_: Type) -> Type:
    return Scalar(number(type_) or "s32")


def _bits(walk: Walk, node: ast.Node, op: str, left: Operand, right: Operand) -> Value:
    a, b = number(left[1].type), number(right[1].type)
    if a is None or b is None or not is_integer(left[1].type) or not is_integer(right[1].type):
        return _bad(walk, node, op, left[1], right[1])
    elem = _promote(walk, node, a, b, left, right)
    return NOTHING if elem is None else Value(Scalar(elem), _bit_value(walk, op, left[1].int, right[1].int))


def _bit_value(walk: Walk, op: str, a: Int | None, b: Int | None) -> Int | None:
    if a is None or b is None:
        return None
    x, y = a.const, b.const
    if x is not None and y is not None:
        return Int.of({"&": x & y, "|": x | y, "^": x ^ y}[op])
    if op == "&" and y is not None and y > 0 and y & (y + 1) == 0 and walk.ranges.is_natural(a):
        return a.mod(Int.of(y + 1))
    return None


# --- bounded integers (3.4) ----------------------------------------------------------------------


def _compose(walk: Walk, node: ast.Node, left: Value, right: Value) -> Value:
    b, c = bound_of(left.type), bound_of(right.type)
    if b is None or c is None:
        walk.b.report(rules.COMPOSE_OPERANDS, node.span, op="#", t1=describe(left.type), t2=describe(right.type))
        return NOTHING
    x, y = left.int, right.int
    return Value(Bounded(shapes.known(walk, node, b * c)), None if x is None or y is None else x * c + y)


def _rebound(walk: Walk, node: ast.Node, op: str, left: Value, right: Value) -> Value:
    """`#+` and its family change the bound and keep the value."""
    bound, by = bound_of(left.type), right.int
    if bound is None or not is_integer(right.type):
        walk.b.report(rules.COMPOSE_OPERANDS, node.span, op=op, t1=describe(left.type), t2=describe(right.type))
        return NOTHING
    changed = None if by is None else integer_op(walk, op[1:], bound, by)
    return Value(Bounded(shapes.known(walk, node, changed)), left.int)


# --- arithmetic ----------------------------------------------------------------------------------

_INTEGER_OPS: dict[str, Callable[[Int, Int], Int]] = {
    "+": Int.__add__,
    "-": Int.__sub__,
    "*": Int.__mul__,
    "/": Int.floordiv,
    "%": Int.mod,
}


def integer_op(walk: Walk, op: str, a: Int, b: Int) -> Int | None:
    """The value of integer arithmetic. `/` and `%` truncate: of an index unknown where its sign could matter."""
    if a.size + b.size > MAX_SIZE:
        return None
    if op not in ("/", "%"):
        return _INTEGER_OPS[op](a, b)
    x, y = a.const, b.const
    if y == 0:
        return None
    if x is not None and y is not None:
        return Int.of(quotient(x, y) if op == "/" else remainder(x, y))
    if walk.ranges.is_natural(a) and walk.ranges.is_natural(b):
        return _INTEGER_OPS[op](a, b)
    return walk.ranges.divided(op, a, b) if _is_host_size(walk, a) and _is_host_size(walk, b) else None


def _is_host_size(walk: Walk, value: Int) -> bool:
    """Dimensions and integer parameters only."""
    return not any(atom in walk.ranges.limits for atom in value.names())


def arithmetic(walk: Walk, node: ast.Node, op: str, left: Operand, right: Operand) -> Value:
    """`+ - * / %` on anything."""
    a, b = left[1].type, right[1].type
    x, y = number(a), number(b)
    if x is not None and y is not None and not (isinstance(a, BoundedTuple) and isinstance(b, BoundedTuple)):
        return _scalar_arithmetic(walk, node, op, (x, left), (y, right))
    listed = ShapeType | TupleType | BoundedTuple
    if isinstance(a, listed) or isinstance(b, listed):
        return shapes.combine(walk, node, op, left[1], right[1])
    if isinstance(a, Data | Fragment) or isinstance(b, Data | Fragment):
        return _spanned(walk, node, op, left, right)
    return _bad(walk, node, op, left[1], right[1])


def _scalar_arithmetic(
    walk: Walk, node: ast.Node, op: str, left: tuple[str, Operand], right: tuple[str, Operand]
) -> Value:
    if op == "%" and not (is_integer(left[1][1].type) and is_integer(right[1][1].type)):
        return _bad(walk, node, op, left[1][1], right[1][1])
    elem = _promote(walk, node, left[0], right[0], left[1], right[1])
    if elem is None:
        return NOTHING
    first, second = left[1][1], right[1][1]
    a, b = first.int, second.int
    if op in ("/", "%") and b is not None and b.const == 0 and is_integer(first.type):
        walk.b.report(rules.DIVISION_BY_ZERO, right[1][0].span, op=op)
        return Value(Scalar(elem))
    value = None if a is None or b is None else integer_op(walk, op, a, b)
    selected = _is_pick(left[1][0]) or _is_pick(right[1][0])
    # an index is an `int`: with what is wider or unsigned it is a plain number
    bound = None if selected or canonical(elem) != "s32" else _derived_bound(op, first.type, second.type)
    return Value(Scalar(elem) if bound is None else Bounded(bound), value)


def _is_pick(node: ast.Node) -> bool:
    """`x(k)`: arithmetic on a selected value gives a plain integer (3.4, [R])."""
    return isinstance(node, ast.Chain) and isinstance(node.suffixes[-1], ast.Pick)


def _derived_bound(op: str, left: Type, right: Type) -> Int | None:
    """Arithmetic with an unchanging integer keeps the bound (table of 3.4)."""
    if not isinstance(left, Bounded) and op in ("+", "*"):
        left, right = right, left
    if not isinstance(left, Bounded) or not isinstance(right, Scalar):
        return None
    return left.bound if is_integer(right) and not right.mutable else None


def _spanned(walk: Walk, node: ast.Node, op: str, left: Operand, right: Operand) -> Value:
    """Element by element: both of one type and shape (S18, S19), or one a number."""
    a, b = left[1].type, right[1].type
    if isinstance(a, Data) and isinstance(b, Data):
        check_same_data(walk, node, a, b)
        return Value(Data(a.elem, a.shape, a.storage))
    for type_, other in ((a, b), (b, a)):
        if isinstance(type_, Data | Fragment) and (number(other) is not None or isinstance(other, Fragment)):
            return Value(type_)
    return _bad(walk, node, op, left[1], right[1])


def check_same_data(walk: Walk, node: ast.Node, a: Data, b: Data) -> None:
    """Spanned arithmetic and assignment want equal element types and extents (S18, S19)."""
    if a.elem != b.elem:
        walk.b.report(rules.DATA_ELEMENT_TYPES, node.span, t1=a.elem, t2=b.elem)
    difference = shapes.first_difference(a.shape, b.shape)
    if len(a.shape) != len(b.shape):
        walk.b.report(rules.RANK_MISMATCH, node.span, a=len(a.shape), b=len(b.shape))
    elif difference is not None:
        first, second = f"[{extents(a.shape)}]", f"[{extents(b.shape)}]"
        walk.b.report(rules.DATA_EXTENTS, node.span, a=first, b=second, d=difference)


def _unary(walk: Walk, node: ast.Unary) -> Value:
    value = walk.expr(node.operand)
    type_ = value.type
    if isinstance(type_, Unknown):
        return Value(BOOL) if node.op == "!" else NOTHING
    if node.op == "!" and _is_bool(type_):
        return Value(BOOL)
    if node.op == "-" and number(type_) is not None:
        whole = value.int
        return Value(_as_scalar(type_), None if whole is None else -whole)
    if node.op == "~" and is_integer(type_):
        whole = value.int
        return Value(_as_scalar(type_), None if whole is None else -whole - Int.of(1))
    walk.b.report(rules.OPERAND_TYPES, node.span, op=node.op, t1=describe(type_), t2="")
    return Value(BOOL) if node.op == "!" else NOTHING


OPERATORS: ExprTable = {ast.Binary: _binary, ast.Unary: _unary}
