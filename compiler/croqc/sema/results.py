"""`return` and the type of a function's result (4.6, rows P02 to P05)."""

from __future__ import annotations

from croqc.sema import rulenames as rules
from croqc.sema.convert import convert, number
from croqc.sema.describe import describe
from croqc.sema.model import SymbolKind
from croqc.sema.params import type_of_ref
from croqc.sema.shapes import first_difference
from croqc.sema.types import (
    UNKNOWN,
    Bounded,
    BoundedTuple,
    Data,
    Event,
    Fragment,
    Future,
    Scalar,
    ShapeType,
    Storage,
    TupleType,
    Type,
    Unknown,
    Void,
)
from croqc.sema.walk import Value, Walk
from croqc.syntax import ast
from croqc.text.diagnostics import Related
from croqc.text.span import Span


def check_return(walk: Walk, node: ast.Return) -> None:
    """One `return`: where it stands and what it gives back."""
    value = walk.expr(node.value) if node.value is not None else Value(Void())
    if walk.on_device:
        walk.b.report(rules.RETURN_IN_PARALLEL, node.span)
        if node.value is not None and not isinstance(walk.b.result, Void):
            walk.returned.append((node, UNKNOWN))  # a value is returned, only at the wrong place
        return
    problem = _problem(walk, node.value, value.type) if node.value is not None else ""
    if problem and node.value is not None:
        walk.b.report(rules.RETURN_KIND, node.value.span, t=describe(value.type), what=problem)
        walk.returned.append((node, UNKNOWN))
    else:
        type_ = Scalar(value.type.elem) if isinstance(value.type, Scalar) else value.type
        walk.returned.append((node, type_))
    _check_conversion(walk, node, value)


def _check_conversion(walk: Walk, node: ast.Return, value: Value) -> None:
    declared = walk.b.result
    if node.value is not None and isinstance(declared, Scalar) and number(value.type) is not None:
        convert(walk, node.value, value, declared.elem)


def _problem(walk: Walk, node: ast.Expr, type_: Type) -> str:
    """Why a value cannot be returned, in one word; empty if it can (P04)."""
    if isinstance(type_, Data):
        if type_.storage in (Storage.SHARED, Storage.LOCAL):
            return "shared" if type_.storage is Storage.SHARED else "local"
        symbol = walk.b.uses.get(node) if isinstance(node, ast.Name) else None
        whole = symbol is not None and symbol.kind in (SymbolKind.BUFFER, SymbolKind.PARAM)
        return "" if whole or not isinstance(node, ast.Name | ast.Chain) else "view"
    if isinstance(type_, Future):
        return "placeholder" if type_.placeholder else "future"
    if isinstance(type_, Bounded | BoundedTuple):
        return "bounded"
    if isinstance(type_, TupleType | ShapeType):
        return "tuple"
    return "value" if isinstance(type_, Event | Fragment | Void) else ""


def declare_result(walk: Walk, function: ast.Function) -> None:
    """The result type as written; UNKNOWN for `auto` until the returns are seen."""
    walk.b.result = type_of_ref(walk, function.result, "result", Storage.HOST)


def settle_result(walk: Walk, function: ast.Function) -> None:
    """Compare the returns with the declared type and with each other; deduce `auto`."""
    values = [(node, type_) for node, type_ in walk.returned if node.value is not None]
    if isinstance(walk.b.result, Void):
        for node, _ in values:
            walk.b.report(rules.RETURN_VALUE, (node.value or node).span, what="value-in-void", name=function.name.id)
        return
    place = function.result.span
    if function.result.elem == "auto":
        walk.b.result, place = _deduce(values, place)
    else:
        _check_present(walk, function)
    for node, type_ in values:
        if node.span != place:
            _compare(walk, node, type_, (walk.b.result, place), function.result.elem == "auto")


def _deduce(values: list[tuple[ast.Return, Type]], place: Span) -> tuple[Type, Span]:
    """The type of the first `return` whose value is understood; void without any."""
    for node, type_ in values:
        if not isinstance(type_, Unknown):
            return type_, node.span
    return (UNKNOWN if values else Void()), place


def _check_present(walk: Walk, function: ast.Function) -> None:
    """A function with a result returns a value (P02)."""
    for node, _ in walk.returned:
        if node.value is None:
            walk.b.report(rules.RETURN_VALUE, node.span, what="no-value", name=function.name.id)
    if not walk.returned and not isinstance(walk.b.result, Unknown):
        walk.b.report(rules.RETURN_VALUE, function.name.span, what="missing", name=function.name.id)


def _compare(walk: Walk, node: ast.Return, type_: Type, result: tuple[Type, Span], deduced: bool) -> None:
    """Element type, rank and extents agree with those of `result` as far as that is provable (P05)."""
    reference, place = result
    if isinstance(type_, Unknown) or isinstance(reference, Unknown):
        return
    if isinstance(type_, Data) and isinstance(reference, Data):
        wrong = type_.elem != reference.elem or first_difference(type_.shape, reference.shape) is not None
    elif number(type_) is not None and number(reference) is not None:
        wrong = deduced and number(type_) != number(reference)  # a declared one converts
    else:
        wrong = type_ != reference
    if wrong:
        related = Related(f"the result is {describe(reference)} here", place)
        walk.b.report(
            rules.RETURN_TYPES,
            (node.value or node).span,
            (related,),
            t1=describe(type_),
            t2=describe(reference),
        )
