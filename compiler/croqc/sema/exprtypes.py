"""Types and values of literals, names, lists, counts and conditionals (2.5, 3.1 to 3.4).

Operators stand in `arith`, suffix chains in `chains`, built-in calls in `calls`.
"""

from __future__ import annotations

from croqc.sema import rulenames as rules
from croqc.sema import shapes
from croqc.sema.convert import convert, number
from croqc.sema.describe import describe
from croqc.sema.elements import ELEMENTS, of_arms
from croqc.sema.guards import under
from croqc.sema.scopes import declared_here
from croqc.sema.symbolic import Int
from croqc.sema.types import (
    BOOL,
    INT,
    Bounded,
    BoundedTuple,
    Event,
    Fragment,
    Pointer,
    Scalar,
    ShapeType,
    Text,
    TupleType,
    Type,
    Unknown,
)
from croqc.sema.walk import NOTHING, ExprTable, Value, Walk
from croqc.syntax import ast


def _int_lit(_: Walk, node: ast.IntLit) -> Value:
    text, value = node.text.lower(), node.value
    wide = "ll" in text
    if "u" in text:
        elem = "u64" if wide or value > 0xFFFFFFFF else "u32"
    else:
        elem = "s64" if wide or value > 0x7FFFFFFF else "s32"
    return Value(Scalar(elem), Int.of(value))


def _real_lit(_: Walk, node: ast.RealLit) -> Value:
    return Value(Scalar("f32" if node.single else "f64"))


def _const(_: Walk, node: ast.Const) -> Value:
    if node.word == "nullptr":
        return Value(Pointer())
    return Value(Scalar("f32") if node.word == "inf" else BOOL)


def _str(_: Walk, __: ast.Str) -> Value:
    return Value(Text())


def _name(walk: Walk, node: ast.Name) -> Value:
    symbol = walk.scopes.use(node)
    if symbol is None:
        return NOTHING
    walk.view_symbol(node, symbol)
    return walk.symbol_value(symbol)


def _paren(walk: Walk, node: ast.Paren) -> Value:
    """Parentheses; in a derivation `(k)` picks from the base."""
    inner = node.inner
    if isinstance(inner, ast.Unary) and isinstance(inner.operand, ast.IntLit):
        picks = True
    else:
        picks = isinstance(inner, ast.IntLit | ast.Name)
    if walk.base is None or not picks:
        return walk.expr(inner)
    base, walk.base = walk.base, None
    index = walk.expr(inner)
    walk.base = base
    if number(index.type) is None and not isinstance(index.type, Unknown):
        walk.b.report(rules.INDEX_TYPE, inner.span, t=describe(index.type))
        return NOTHING
    place = shapes.pick(walk, inner, base, index.int)
    return Value(INT, None if place is None else base[place])


def _bound_of(walk: Walk, node: ast.BoundOf) -> Value:
    value = walk.expr(node.name)
    match value.type:
        case Bounded(bound=bound):
            return Value(INT, bound)
        case BoundedTuple(bounds=bounds):
            return Value(TupleType(bounds))
        case Unknown():
            return NOTHING
    walk.b.report(rules.NO_BOUND, node.name.span, x=node.name.id, t=describe(value.type))
    return NOTHING


def _count(walk: Walk, node: ast.Count) -> Value:
    value = walk.expr(node.operand)
    dims = shapes.shape_of(value.type)
    if dims is not None:
        return Value(INT, shapes.product(dims))
    if isinstance(value.type, Unknown | Fragment):
        return Value(INT)
    if number(value.type) is not None and not isinstance(node.operand, ast.Name):
        return Value(INT, value.int)
    walk.b.report(rules.NO_SHAPE, node.operand.span, what="|x|", t=describe(value.type))
    return NOTHING


def _size_of(_: Walk, node: ast.SizeOf) -> Value:
    elem = ELEMENTS.get(node.elem)
    whole = elem is not None and elem.bits % 8 == 0
    return Value(INT, Int.of(elem.bits // 8) if elem and whole else None)


def _tuple_lit(walk: Walk, node: ast.TupleLit) -> Value:
    items = shapes.flatten(walk, node.items)
    shapes.check_members(walk, items, "tuple")
    return Value(TupleType(tuple(item.value for item in items)))


def _shape_lit(walk: Walk, node: ast.ShapeLit) -> Value:
    return Value(ShapeType(shapes.extents_of(walk, node.items)))


def _derive(walk: Walk, node: ast.Derive) -> Value:
    base = walk.expr(node.base)
    parts = shapes.entries(base)
    if parts is None:
        for item in node.items:
            walk.expr(item)
        if not isinstance(base.type, Unknown):
            walk.b.report(rules.NO_SHAPE, node.base.span, what="{}", t=describe(base.type))
        return NOTHING
    items = shapes.derive(walk, parts, node.items)
    shapes.check_members(walk, items, "tuple")
    return Value(TupleType(tuple(item.value for item in items)))


def _cond(walk: Walk, node: ast.Cond) -> Value:
    """Integers that differ are s32 where that holds both (3.1, rule 7), else what arithmetic makes of them."""
    test = walk.expr(node.test)
    check_bool(walk, node.test, test.type, "?:")
    with under(walk, node.test):
        then = walk.expr(node.then)
    with under(walk, node.test, holds=False):
        other = walk.expr(node.other)
    a, b = number(then.type), number(other.type)
    if isinstance(then.type, Unknown) or isinstance(other.type, Unknown):
        return NOTHING
    if a is not None and b is not None and ELEMENTS[a].kind != "float" and ELEMENTS[b].kind != "float":
        arms = (node.then, then), (node.other, other)
        elem = of_arms(a, b) or a
        for arm in arms:
            if number(arm[1].type) != elem:
                convert(walk, *arm, elem)
        return Value(Scalar(elem), then.int if then.int == other.int else None)
    if _plain(then.type) != _plain(other.type):
        walk.b.report(rules.CONDITIONAL_ARMS, node.span, t1=describe(then.type), t2=describe(other.type))
        return NOTHING
    return Value(_plain(then.type))


def _plain(type_: Type) -> Type:
    return Scalar(type_.elem) if isinstance(type_, Scalar) else type_


def check_bool(walk: Walk, node: ast.Node, type_: Type, where: str) -> None:
    """A condition is a truth value (T11); an event serves `while` (4.5)."""
    if isinstance(type_, Unknown) or (isinstance(type_, Scalar) and type_.elem == "bool"):
        return
    if where == "while" and isinstance(type_, Event):
        return
    walk.b.report(rules.NON_BOOL_CONDITION, node.span, t=describe(type_), where=where)


def _address_of(walk: Walk, node: ast.AddressOf) -> Value:
    walk.expr(node.operand)
    return Value(Pointer())


def _inc_dec(walk: Walk, node: ast.IncDec) -> Value:
    value = walk.expr(node.name)
    if isinstance(value.type, Unknown):
        return NOTHING
    if not isinstance(value.type, Scalar) or not value.type.mutable or value.type.elem == "bool":
        symbol = walk.b.uses.get(node.name)
        declared = (declared_here(symbol),) if symbol is not None else ()
        walk.b.report(rules.INCREMENT_TARGET, node.span, declared, op=node.op, name=node.name.id)
        return NOTHING
    return Value(Scalar(value.type.elem))


def _missing(_: Walk, __: ast.Missing) -> Value:
    return NOTHING


BASIC: ExprTable = {
    ast.Missing: _missing,
    ast.IntLit: _int_lit,
    ast.RealLit: _real_lit,
    ast.Const: _const,
    ast.Str: _str,
    ast.Name: _name,
    ast.Paren: _paren,
    ast.BoundOf: _bound_of,
    ast.Count: _count,
    ast.SizeOf: _size_of,
    ast.TupleLit: _tuple_lit,
    ast.ShapeLit: _shape_lit,
    ast.Derive: _derive,
    ast.Cond: _cond,
    ast.AddressOf: _address_of,
    ast.IncDec: _inc_dec,
}
