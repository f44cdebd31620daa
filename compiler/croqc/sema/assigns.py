"""Assignment: declaration by first assignment, reassignment, elements, compound forms (2.4.2, 3.1)."""

from __future__ import annotations

from croqc.sema import rulenames as rules
from croqc.sema.arith import arithmetic, check_same_data
from croqc.sema.convert import convert, number
from croqc.sema.declarations import check_storable, inferred, is_plain_integer, kind_of
from croqc.sema.describe import describe
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.scopes import declared_here
from croqc.sema.types import (
    UNKNOWN,
    BoundedTuple,
    Data,
    Event,
    Fragment,
    Future,
    Scalar,
    ShapeType,
    Type,
    Unknown,
)
from croqc.sema.walk import StmtTable, Value, Walk
from croqc.syntax import ast
from croqc.syntax.visit import walk as walk_tree


def _assign(walk: Walk, node: ast.Assign) -> None:
    for part in node.parts:
        if not isinstance(part.target, ast.Name):
            _element(walk, part, part.target)
        elif part.op == "=":
            _assign_name(walk, part, part.target)
        else:
            _compound(walk, part, part.target)


# --- names ---------------------------------------------------------------------------------------


def _assign_name(walk: Walk, part: ast.AssignPart, name: ast.Name) -> None:
    value = walk.expr(part.value)
    symbol = walk.scopes.lookup(name.id)
    here = walk.scopes.here(name.id)
    if symbol is not None and _takes_values(symbol):
        walk.b.uses[name] = symbol
        _store(walk, part, value, symbol.type)
    elif here is not None:
        walk.b.uses[name] = here
        if not isinstance(here.type, Unknown) or here.kind is not SymbolKind.VARIABLE:
            _report_immutable(walk, name, here)
    else:
        if symbol is not None and _mentions(part.value, name.id) and _is_number(symbol.type):
            walk.b.report(rules.SHADOWED_ASSIGNMENT, name.span, (declared_here(symbol),), name=name.id, future=False)
        _declare(walk, part, name, value)


def _takes_values(symbol: Symbol) -> bool:
    """Mutable scalars, accumulators, and whole buffers may be written again."""
    if symbol.mutable or isinstance(symbol.type, Fragment):
        return True
    whole = symbol.kind in (SymbolKind.BUFFER, SymbolKind.PARAM) and isinstance(symbol.type, Data)
    return whole or (isinstance(symbol.type, Future) and symbol.type.placeholder)


def _is_number(type_: Type) -> bool:
    """Of any element type: a sum of floats is as easily meant to go on as a count."""
    return isinstance(type_, Scalar) or is_plain_integer(type_)


def _report_immutable(walk: Walk, name: ast.Name, symbol: Symbol) -> None:
    walk.b.report(rules.IMMUTABLE_ASSIGNMENT, name.span, (declared_here(symbol),), name=name.id, kind=symbol.kind.value)


def _mentions(value: ast.Node, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in walk_tree(value))


def _declare(walk: Walk, part: ast.AssignPart, name: ast.Name, value: Value) -> None:
    type_ = value.type
    if isinstance(part.value, ast.ShapeLit):
        walk.b.report(rules.SHAPE_BRACKETS, part.value.span, what="tuple", got=describe(type_))
        type_ = UNKNOWN
    elif not check_storable(walk, part.value, type_):
        type_ = UNKNOWN
    elif isinstance(part.value, ast.Call) and isinstance(type_, Unknown):
        type_ = _result(walk, part.value)
    symbol = walk.scopes.declare(name, kind_of(type_), inferred(type_), part)
    if isinstance(type_, BoundedTuple):
        walk.elements[symbol] = value.items
    if is_plain_integer(symbol.type):
        walk.set_atom(symbol, value.int)


def _result(walk: Walk, node: ast.Call) -> Type:
    """What a device function gives to a name without a type, by its definition in the file (4.6)."""
    elem = dict(walk.b.context.results).get(node.callee.rpartition("::")[2])
    return UNKNOWN if elem is None else Scalar(elem)


def _store(walk: Walk, part: ast.AssignPart, value: Value, target: Type) -> None:
    """The value of a plain assignment fits what it is written to."""
    if isinstance(value.type, Unknown) or isinstance(target, Unknown):
        return
    if isinstance(value.type, Event | Future) and not isinstance(target, Future):
        name = part.value.id if isinstance(part.value, ast.Name) else ""
        walk.b.report(rules.NOT_A_VALUE, part.value.span, name=name, t=describe(value.type))
    elif isinstance(target, Data) and isinstance(value.type, Data):
        check_same_data(walk, part, target, value.type)
    elif isinstance(target, Scalar):
        _store_scalar(walk, part, value, target)


def _store_scalar(walk: Walk, part: ast.AssignPart, value: Value, target: Scalar) -> None:
    truth = isinstance(value.type, Scalar) and value.type.elem == "bool"
    if number(value.type) is not None and target.elem != "bool":
        convert(walk, part.value, value, target.elem)
    elif not (truth and target.elem == "bool"):
        if isinstance(value.type, ShapeType | BoundedTuple | Data) or truth or number(value.type) is not None:
            walk.b.report(
                rules.OPERAND_TYPES, part.span, op=part.op, t1=describe(Scalar(target.elem)), t2=describe(value.type)
            )
        else:
            check_storable(walk, part.value, value.type)


# --- compound forms and elements -----------------------------------------------------------------


def _compound(walk: Walk, part: ast.AssignPart, name: ast.Name) -> None:
    value = walk.expr(part.value)
    before = walk.expr(name)
    symbol = walk.b.uses.get(name)
    if symbol is None or isinstance(symbol.type, Unknown):
        return
    if not _takes_values(symbol):
        _report_immutable(walk, name, symbol)
        return
    _combine(walk, part, before, value)


def _combine(walk: Walk, part: ast.AssignPart, before: Value, value: Value) -> None:
    if isinstance(value.type, Unknown) or isinstance(before.type, Unknown):
        return
    if isinstance(value.type, Event | Future):
        _store(walk, part, value, before.type)
        return
    result = arithmetic(walk, part, part.op[0], (part.target, before), (part.value, value))
    if isinstance(before.type, Scalar):
        convert(walk, part.value, Value(result.type), before.type.elem)


def _element(walk: Walk, part: ast.AssignPart, target: ast.Expr) -> None:
    value = walk.expr(part.value)
    before = walk.expr(target)
    if part.op == "=":
        _store(walk, part, value, before.type)
    else:
        _combine(walk, part, before, value)


def _call_stmt(walk: Walk, node: ast.CallStmt) -> None:
    walk.expr(node.call)


ASSIGNS: StmtTable = {ast.Assign: _assign, ast.CallStmt: _call_stmt}
