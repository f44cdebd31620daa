"""Calls: built-in functions inside expressions, and calls of device functions, atomics and the library (4.6, 9.12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croqc.sema import rulenames as rules
from croqc.sema import rulenames_device as rules_device
from croqc.sema import shapes
from croqc.sema.access import falls_below, reaches
from croqc.sema.arith import integer_op
from croqc.sema.convert import check_supported, convert, is_integer, number
from croqc.sema.describe import describe
from croqc.sema.elements import INTEGERS, canonical, common
from croqc.sema.model import View
from croqc.sema.symbolic import Int
from croqc.sema.types import (
    INT,
    UNKNOWN,
    BoundedTuple,
    Data,
    Event,
    Fragment,
    Future,
    Scalar,
    ShapeType,
    Storage,
    Stream,
    TupleType,
    Type,
    Unknown,
    Void,
)
from croqc.sema.walk import NOTHING, ExprTable, Value, Walk
from croqc.syntax import ast
from croqc.syntax.keywords import arity
from croqc.text.near import nearest
from croqc.text.span import Span

# Element types that each atomic takes (4.6).
_ATOMIC_TYPES: Final = {
    "__atomic_add": "s32 u32 u64 f32 f64 f16",
    "__atomic_sub": "s32 u32",
    "__atomic_exch": "s32 u32 u64 f32",
    "__atomic_cas": "s32 u32 u64 u16",
} | {f"__atomic_{name}": "s32 u32 s64 u64" for name in ("min", "max", "and", "or", "xor")}


# --- built-in functions in expressions -----------------------------------------------------------


def _builtin(walk: Walk, node: ast.Builtin) -> Value:
    values = [walk.expr(arg) for arg in node.args]
    if node.name == "__to":
        return _convert(walk, node, values)
    if node.name == "stage":
        return _stage(walk, values)
    if not _count_fits(node):
        return NOTHING
    if node.name == "cdiv":
        return _cdiv(walk, node, values)
    if any(isinstance(value.type, Unknown) for value in values):
        return NOTHING
    if node.name in ("__alignup", "__aligndown"):
        return _align(walk, node, values)
    return _maths(walk, node, values)


def _count_fits(node: ast.Builtin) -> bool:
    """Whether there are as many arguments as the function takes; the parser reports where not."""
    bounds = arity(node.name)
    return bounds is not None and bounds[0] <= len(node.args) <= bounds[1]


def _cdiv(walk: Walk, node: ast.Builtin, values: Sequence[Value]) -> Value:
    first, second = values
    if isinstance(first.type, Unknown) or isinstance(second.type, Unknown):
        return NOTHING
    listed = ShapeType | TupleType
    if isinstance(first.type, listed) or isinstance(second.type, listed):
        return shapes.combine(walk, node, "cdiv", first, second)
    for arg, value in zip(node.args, values, strict=True):
        if not is_integer(value.type):
            walk.b.report(
                rules.MATHS_OPERANDS,
                arg.span,
                name="cdiv",
                what="type",
                want="an integer",
                have=describe(value.type),
            )
            return NOTHING
    a, b = first.int, second.int
    if b is not None and b.const == 0:
        walk.b.report(rules.DIVISION_BY_ZERO, node.args[1].span, op="cdiv")
        return Value(INT)
    return Value(INT, None if a is None or b is None else a.cdiv(b))


def _align(walk: Walk, node: ast.Builtin, values: Sequence[Value]) -> Value:
    if not all(is_integer(value.type) for value in values):
        return _wrong_operand(walk, node, values, "an integer", INTEGERS)
    a, n = (value.int for value in values)
    result = Value(Scalar(number(values[0].type) or "s32"))
    if a is None or n is None or n.const == 0:
        return result
    steps = a.cdiv(n) if node.name == "__alignup" else integer_op(walk, "/", a, n)
    return Value(result.type, None if steps is None else steps * n)


def _wrong_operand(
    walk: Walk, node: ast.Builtin, values: Sequence[Value], want: str, fits: frozenset[str] | None = None
) -> Value:
    for arg, value in zip(node.args, values, strict=True):
        elem = number(value.type)
        if elem is None or (fits is not None and elem not in fits):
            walk.b.report(
                rules.MATHS_OPERANDS, arg.span, name=node.name, what="type", want=want, have=describe(value.type)
            )
            break
    return NOTHING


def _maths(walk: Walk, node: ast.Builtin, values: Sequence[Value]) -> Value:
    """The result has the type of the first argument (9.12)."""
    if isinstance(values[0].type, Fragment | Data):
        walk.not_understood(node, f"'{node.name}' of a whole tile")
        return NOTHING
    elems = [number(value.type) for value in values]
    first = elems[0]
    if first is None or any(elem is None for elem in elems):
        return _wrong_operand(walk, node, values, "a number")
    if node.name in ("__max", "__min"):
        first = common(first, elems[1] or first)
        if first is None:
            walk.b.report(rules.NO_COMMON_TYPE, node.span, t1=str(elems[0]), t2=str(elems[1]))
            return NOTHING
    return Value(Scalar(first))


def _convert(walk: Walk, node: ast.Builtin, values: Sequence[Value]) -> Value:
    if not isinstance(node.type_arg, str):
        return NOTHING
    elem = canonical(node.type_arg)
    check_supported(walk, node, elem)
    value = values[0] if values else NOTHING
    if isinstance(value.type, Event | Future | ShapeType | TupleType | Data):
        walk.b.report(
            rules.MATHS_OPERANDS, node.span, name="__to", what="type", want="a number", have=describe(value.type)
        )
    keeps = elem in INTEGERS and is_integer(value.type)
    return Value(Scalar(elem), value.int if keeps else None)


def _stage(walk: Walk, values: Sequence[Value]) -> Value:
    """The older `stage<N>(x)` is `x % N` (chapter 0)."""
    if len(values) != 2:
        return Value(INT)
    size, place = values[0].int, values[1].int
    return Value(INT, None if size is None or place is None else integer_op(walk, "%", place, size))


# --- calls that are statements or right-hand sides -----------------------------------------------


def _call(walk: Walk, node: ast.Call) -> Value:
    values = [walk.expr(arg) for arg in node.args]
    for arg in node.targs or ():
        _template_argument(walk, arg)
    if node.kind in ("call", "atomic") and not walk.on_device:
        walk.b.report(rules.CALL_AT_HOST, node.callee_span, name=node.callee)
    if node.kind == "atomic":
        return _atomic(walk, node, values)
    if node.kind == "call":
        _device_call(walk, node, values)
        return Value(UNKNOWN)
    return Value(Void() if node.kind == "barrier" else UNKNOWN)


def _template_argument(walk: Walk, arg: ast.Expr) -> None:
    """Integers are static (P08); type words stand as names and are not looked up."""
    if isinstance(arg, ast.Name) and (walk.scopes.lookup(arg.id) is None):
        return
    value = walk.expr(arg)
    if isinstance(value.type, Unknown):
        return
    if not is_integer(value.type):
        walk.b.report(rules.TEMPLATE_ARGUMENT, arg.span, t=describe(value.type), static=False)
    elif value.int is None or value.int.const is None:
        walk.b.report(rules.TEMPLATE_ARGUMENT, arg.span, t=describe(value.type), static=True)


def _device_call(walk: Walk, node: ast.Call, values: Sequence[Value]) -> None:
    for arg, value in zip(node.args, values, strict=True):
        if _is_refused(value.type):
            walk.b.report(rules.CALL_ARGUMENT, arg.span, t=describe(value.type), name=node.callee)
        elif isinstance(value.type, Data) and value.type.contiguous is False:
            view = walk.b.views.get(arg)
            walk.b.report(rules.CALL_GAPS, arg.span, name=view.base.name if view else "", function=node.callee)
    known = walk.b.context.device_functions
    if node.callee in walk.b.context.co_functions - known:
        walk.b.report(rules.CO_CALL, node.callee_span, name=node.callee)
    elif "::" not in node.callee and node.callee not in known:
        near = nearest(node.callee, known)
        if near is not None:
            walk.b.report(rules.UNKNOWN_FUNCTION, node.callee_span, name=node.callee, near=near)


def _is_refused(type_: Type) -> bool:
    """Handles and lists cannot be passed to C++ (4.6); an index tuple of rank 1 is an index."""
    if isinstance(type_, BoundedTuple):
        return len(type_.bounds) > 1
    return isinstance(type_, Future | TupleType | ShapeType | Event | Stream | Void)


def _atomic(walk: Walk, node: ast.Call, values: Sequence[Value]) -> Value:
    """The first argument is an element of shared or global data; the old value is returned (P12)."""
    bounds = arity(node.callee)
    if bounds is None or len(node.args) != bounds[0]:
        return NOTHING  # the parser has reported the count
    target, view = values[0], walk.b.views.get(node.args[0])
    if isinstance(target.type, Unknown):
        return NOTHING
    span = node.args[0].span
    if view is None or view.element is None or not isinstance(target.type, Scalar):
        _atomic_report(walk, span, node.callee, "element", "an element", describe(target.type))
        return NOTHING
    _atomic_types(walk, node, view, target.type.elem)
    for arg, value in zip(node.args[1:], values[1:], strict=True):
        convert(walk, arg, value, target.type.elem)
    return Value(Scalar(target.type.elem))


def _atomic_types(walk: Walk, node: ast.Call, view: View, elem: str) -> None:
    span = node.args[0].span
    if view.data.storage is Storage.LOCAL:
        _atomic_report(walk, span, node.callee, "storage", "shared or global", view.data.storage.value)
    allowed = _ATOMIC_TYPES.get(node.callee, "").split()
    if elem not in allowed:
        _atomic_report(walk, span, node.callee, "type", ", ".join(allowed), elem)


def _atomic_report(walk: Walk, span: Span, name: str, what: str, want: str, have: str) -> None:
    walk.b.report(rules.ATOMIC_OPERANDS, span, name=name, what=what, want=want, have=have)


def _select(walk: Walk, node: ast.Select) -> Value:
    """`select(k, v0, v1)` is what its options are (5.4)."""
    _check_choice(walk, node, walk.expr(node.index).int)
    values = [walk.expr(option) for option in node.options]
    futures = [value.type for value in values if isinstance(value.type, Future)]
    if values and len(futures) == len(values):
        return _selected_future(futures)
    return values[0] if values and all(value.type == values[0].type for value in values) else NOTHING


def _check_choice(walk: Walk, node: ast.Select, index: Int | None) -> None:
    """The index is one of `0 .. n - 1`; only proven violations are errors (F08)."""
    count = len(node.options)
    if index is None:
        return
    top, bottom = reaches(walk, index, Int.of(count)), falls_below(walk, index)
    if top is not None or bottom is not None:
        reason = "range" if index.const is not None else "reached"
        value = str(top if top is not None else bottom)
        walk.b.report(rules_device.SELECT_OPERANDS, node.index.span, reason=reason, value=value, count=count)


def _selected_future(types: list[Future]) -> Value:
    """A transfer that one of several names holds: a placeholder among them takes the type of the others (5.4)."""
    data = next((type_.data for type_ in types if type_.data is not None), None)
    if any(type_.data not in (None, data) or type_.multiply != types[0].multiply for type_ in types):
        return NOTHING
    return Value(Future(data, any(type_.is_async for type_ in types), multiply=types[0].multiply))


CALLS: ExprTable = {ast.Builtin: _builtin, ast.Call: _call, ast.Select: _select}
