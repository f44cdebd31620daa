"""Scalar expressions (reference, 2.5, 3.1 to 3.4). Must not build statements; memory references stand in `tiles`."""

from __future__ import annotations

from collections.abc import Callable
from math import isinf
from typing import Any

from croqc.pipe.build.context import Context
from croqc.pipe.build.held import element_of, element_of_whole, is_element
from croqc.pipe.build.integers import ceiling
from croqc.pipe.build.tiles import element
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Var, add, divide, modulo, multiply, product, subtract
from croqc.pipe.ir_control import Set
from croqc.sema.elements import ELEMENTS, INTEGERS, canonical, common, of_arms
from croqc.sema.integers import COMPARISONS
from croqc.sema.model import SymbolKind
from croqc.sema.types import Bounded, BoundedTuple, Fragment, Scalar, bound_of, data_of
from croqc.syntax import ast
from croqc.text.record import replace
from croqc.text.span import Span

_FOLDED: dict[str, Callable[[Expr, Expr], Expr]] = {
    "+": add, "-": subtract, "*": multiply, "/": divide, "%": modulo
}  # fmt: skip


def value(c: Context, node: ast.Node) -> Expr:
    """An integer where the model knows it, else the expression as written."""
    known = c.model.values.get(node)
    if known is not None and known.const is not None:
        return _typed_literal(c, node, known.const)
    return c.expr(node)


def _typed_literal(c: Context, node: ast.Node, number: int) -> Lit:
    """An integer in the type that its suffix or its size gave it (1.3.5), `s32` where it has no other."""
    type_ = c.model.types.get(node)
    elem = canonical(type_.elem) if isinstance(type_, Scalar) else "s32"
    return Lit(number) if elem not in INTEGERS or elem == "s32" else Lit(wrapped(number, elem), elem)


def elem_of(c: Context, node: ast.Node) -> str:
    """The element type of a scalar expression. Raises LoweringError for what is no scalar."""
    match c.model.types.get(node):
        case Scalar(elem=elem):
            return elem
        case Bounded() | BoundedTuple():
            return "s32"
    if c.model.values.get(node) is not None:
        return "s32"
    raise LoweringError("the type of this expression is not known: convert it, as '__to<f32>(…)'", node.span)


_NARROW = ("f8_ue8m0", "f8_ue4m3", "f6_e2m3", "f6_e3m2", "f4_e2m1")


def printable(elem: str, span: Span) -> str:
    """The element type itself. Raises LoweringError for one that no generated code stores or computes with."""
    row = ELEMENTS.get(elem)
    if elem != "int" and (row is None or row.bits < 8 or elem in _NARROW):
        raise LoweringError(f"the type {elem} is not lowered to CUDA yet: use a wider one, such as f8_e4m3 or s8", span)
    return elem


def convert(expr: Expr, elem: str) -> Expr:
    """The value in another element type; literals are converted here."""
    have = expr.elem
    if have == elem or (elem == "int" and have == "s32"):
        return expr
    if isinstance(expr, Lit):
        if ELEMENTS.get(elem) is not None and ELEMENTS[elem].kind == "float":
            return (
                Cast(expr, elem)
                if have == "f32" and elem == "f64" and _is_rounded(expr)
                else Lit(float(expr.value), elem)
            )
        if not isinstance(expr.value, float):
            return Lit(wrapped(int(expr.value), elem) if elem in INTEGERS else expr.value, elem)
    return Cast(expr, elem)


def _is_rounded(literal: Lit) -> bool:
    """Whether a literal may be another number in f32 than it is written: `0.1f` has the digits of f32 in f64, too
    (1.3.6)."""
    value = literal.value
    return isinstance(value, float) and not (isinf(value) or (value.is_integer() and abs(value) <= 1 << 24))


def wrapped(number: int, elem: str) -> int:
    """What is left of an integer in an integer type: its low bits."""
    row = ELEMENTS[elem]
    low = number & (1 << row.bits) - 1
    return low - (1 << row.bits) if row.kind == "signed" and low >> (row.bits - 1) else low


_NARROW_INTEGERS = ("s8", "u8", "s16", "u16")
_WITHIN = ("&", "|", "^", ">>", "%")  # of two values of a type these give one of it


def cut(expr: Expr) -> Expr:
    """A result as a value of its type (3.1): C computes narrow integers as int, and literals are folded unbounded."""
    if isinstance(expr, Lit):
        return convert(Lit(expr.value), expr.elem) if expr.elem in INTEGERS and expr.elem != "s32" else expr
    if not isinstance(expr, Op | Fn) or expr.elem not in _NARROW_INTEGERS or (len(expr.args) > 1 and _stays(expr)):
        return expr
    return Cast(replace(expr, elem="s32"), expr.elem)


def _stays(expr: Op | Fn) -> bool:
    return not isinstance(expr, Op) or expr.op in _WITHIN


def _integer(c: Context, node: ast.IntLit) -> Expr:
    return _typed_literal(c, node, node.value)


def _real(c: Context, node: ast.RealLit) -> Expr:
    return Lit(node.value, "f32" if node.single else "f64")


def _const(c: Context, node: ast.Const) -> Expr:
    match node.word:
        case "true" | "false":
            return Lit(node.word == "true", "bool")
        case "inf":
            return Lit(float("inf"), "f32")
    raise LoweringError("a null pointer is not lowered: pass data", node.span)


def _name(c: Context, node: ast.Name) -> Expr:
    symbol = c.symbol(node)
    known = c.model.values.get(node)
    if known is not None and known.const is not None:
        return _typed_literal(c, node, known.const)
    if symbol.kind is SymbolKind.DIMENSION:
        return c.sizes.get(symbol.atom or symbol.name, Var(c.name_of(symbol)))
    if isinstance(symbol.type, Scalar):
        return Var(c.name_of(symbol), symbol.type.elem)
    if bound_of(symbol.type) is not None:
        return Var(c.name_of(symbol))
    if isinstance(symbol.type, Fragment) and c.visiting:
        return element_of_whole(c, symbol, node.span)
    raise LoweringError(
        f"'{node.id}' is no scalar here: use an element ('.at') or an extent ('.span') of it", node.span
    )


def _unary(c: Context, node: ast.Unary) -> Expr:
    operand = c.expr(node.operand)
    if node.op == "-" and isinstance(operand, Lit) and not isinstance(operand.value, bool):
        return cut(Lit(-operand.value, operand.elem))
    return Op("!", (operand,), "bool") if node.op == "!" else cut(Op(node.op, (operand,), operand.elem))


def _binary(c: Context, node: ast.Binary) -> Expr:
    if node.op == "#":
        return add(multiply(c.expr(node.left), bound(c, node.right)), c.expr(node.right))
    if node.op.startswith("#"):
        return c.expr(node.left)
    left, right = value(c, node.left), value(c, node.right)
    if node.op == "cdiv":
        return ceiling(left, right)
    if node.op in ("&&", "||"):
        return Op(node.op, (left, right), "bool")
    if node.op in COMPARISONS:
        common = common_type(left.elem, right.elem)
        return Op(node.op, (convert(left, common), convert(right, common)), "bool")
    whole = isinstance(c.model.types.get(node), Fragment)  # of elements, in the type that holds both
    elem = common_type(left.elem, right.elem) if whole else canonical(elem_of(c, node))
    left, right = convert(left, elem), convert(right, elem)
    fold = _FOLDED.get(node.op)
    if fold is not None and ELEMENTS[elem].kind != "float":
        return cut(_typed(fold(left, right), elem))
    return cut(Op(node.op, (left, right), elem))


def _typed(expr: Expr, elem: str) -> Expr:
    """A folded result keeps its type, which C's promotions lose."""
    return replace(expr, elem=elem) if isinstance(expr, Op | Lit) else convert(expr, elem)


def common_type(a: str, b: str) -> str:
    """The type in which two values are computed with and compared (table of 3.1)."""
    a, b = canonical(a), canonical(b)
    if a == b or "bool" in (a, b):
        return b if a == "bool" else a
    return common(a, b) or max(a, b, key=lambda elem: ELEMENTS[elem].bits)


def combined(old: Expr, op: str, new: Expr, elem: str) -> Expr:
    """What `old op new` writes, where `op` is "=", "+=", …"""
    return convert(new, elem) if op == "=" else arithmetic(op[:-1], old, new, elem)


def arithmetic(op: str, left: Expr, right: Expr, elem: str) -> Expr:
    """`left op right` as a binary expression has it, converted to `elem`."""
    common = common_type(left.elem, right.elem)
    return convert(cut(Op(op, (convert(left, common), convert(right, common)), common)), elem)


def _conditional(c: Context, node: ast.Cond) -> Expr:
    then, other = value(c, node.then), value(c, node.other)
    elem = of_arms(canonical(then.elem), canonical(other.elem)) or then.elem
    return Op("?:", (c.expr(node.test), convert(then, elem), convert(other, elem)), elem)


def _paren(c: Context, node: ast.Paren) -> Expr:
    return value(c, node.inner)


def bound(c: Context, node: ast.Node) -> Expr:
    """The exclusive upper bound of a bounded expression. Raises LoweringError for one without."""
    match node:
        case ast.Paren(inner=inner):
            return bound(c, inner)
        case ast.Name():
            known = bound_of(c.symbol(node).type)
            if known is not None:
                return c.integer(known, node.span)
        case ast.Binary(op="#", left=left, right=right):
            return multiply(bound(c, left), bound(c, right))
        case ast.Binary(op="+" | "-" | "*" | "/" | "%", left=left):
            return bound(c, left)
    raise LoweringError("this value has no upper bound: use an index of 'foreach' or 'parallel'", node.span)


def _bound_of(c: Context, node: ast.BoundOf) -> Expr:
    return bound(c, node.name)


def _count(c: Context, node: ast.Count) -> Expr:
    data = data_of(c.model.types[node.operand]) if node.operand in c.model.types else None
    if data is not None:
        return product(tuple(c.integer(extent, node.span) for extent in data.shape))
    return _known(c, node)


def _known(c: Context, node: ast.Node) -> Expr:
    found = c.model.values.get(node)
    if found is None:
        raise LoweringError("the value of this expression is not known: use a size, an index or a number", node.span)
    return c.integer(found, node.span)


def _size(c: Context, node: ast.SizeOf) -> Expr:
    return Lit(max(ELEMENTS[node.elem].bits // 8, 1))


def _builtin(c: Context, node: ast.Builtin) -> Expr:
    args = tuple(value(c, arg) for arg in node.args)
    if node.name == "__to":
        if not isinstance(node.type_arg, str):
            raise LoweringError(
                "a conversion to a C++ type is not lowered: name one of the language, as '__to<f32>(…)'", node.span
            )
        return convert(args[0], printable(canonical(node.type_arg), node.span))
    if node.name == "cdiv":
        return ceiling(*args)
    if node.name == "stage":  # the older `stage<N>(x)` is `x % N` (chapter 0)
        return modulo(args[1], args[0])
    if node.name in ("__alignup", "__aligndown"):
        steps = ceiling(*args) if node.name == "__alignup" else divide(*args)
        return multiply(steps, args[1])
    elem = elem_of(c, node)
    if node.name in ("__min", "__max"):
        return Fn(node.name, tuple(convert(arg, elem) for arg in args), elem)
    return cut(Fn(node.name, args, elem))


def _chain(c: Context, node: ast.Chain) -> Expr:
    view = c.model.views.get(node)
    if view is not None and view.element is not None:
        return element(c, node)
    match node:
        case ast.Chain(base=ast.Name() as base, suffixes=(ast.Pick(arg=arg),)) if c.symbol(base) in c.tuples:
            parts, place = c.tuples[c.symbol(base)], c.model.values.get(arg)
            if len(parts) > 1 and place is not None and place.const is not None:
                return parts[place.const]
    return element_of(c, node) if is_element(c, node) else _known(c, node)


def _step(c: Context, node: ast.IncDec) -> Expr:
    """`++x` before the statement that it stands in, `x++` behind it: it changes a scalar once (2.5)."""
    symbol = c.symbol(node.name)
    if not isinstance(symbol.type, Scalar):
        raise LoweringError(f"'{node.name.id}' is no scalar here: '++' and '--' change numbers", node.span)
    elem = canonical(symbol.type.elem)
    old = Var(c.name_of(symbol), elem)
    new = cut(_typed(_FOLDED[node.op[0]](old, convert(Lit(1), elem)), elem))
    (c.ahead if node.prefix else c.behind).append(Set(node.span, old.name, new))
    return old


def steady(c: Context, node: ast.Node, read: Callable[[Context, ast.Node], Expr] = value) -> Expr:
    """A condition, or an end of a loop. Raises LoweringError for one that changes variables, which are read inside."""
    before = len(c.ahead) + len(c.behind)
    found = read(c, node)
    if len(c.ahead) + len(c.behind) > before:
        raise LoweringError("a condition that changes a variable is not lowered: change it in a statement", node.span)
    return found


EXPRESSIONS: dict[type, Callable[[Context, Any], Expr]] = {
    ast.IntLit: _integer,
    ast.RealLit: _real,
    ast.Const: _const,
    ast.Name: _name,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.Cond: _conditional,
    ast.Paren: _paren,
    ast.BoundOf: _bound_of,
    ast.Count: _count,
    ast.SizeOf: _size,
    ast.Builtin: _builtin,
    ast.Chain: _chain,
    ast.IncDec: _step,
}
