"""Expressions as closures (reference, 2.5, 3.1 to 3.4). Must not touch memory: that is done in `elements`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from croqc.engines.sim.code.accumulator import Accumulator, tile_of
from croqc.engines.sim.code.carried import checked
from croqc.engines.sim.code.compiler import Compiler, Fn
from croqc.engines.sim.code.maths import MATHS, precise
from croqc.engines.sim.code.values import BINARY, arms, cast, floating, invert, is_uniform, logical_not, lone, negate
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import dtype_of
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.views import View
from croqc.engines.sim.state import Frame, FutureState, Value
from croqc.sema.types import Data, Fragment, Scalar
from croqc.syntax import ast
from croqc.text.span import Span


def constant(value: Value) -> Fn:
    return lambda frame: value


def _integer(c: Compiler, node: ast.IntLit) -> Fn:
    """A Python integer counts as `s32`; what a suffix or its size makes another type (1.3.5) has that one."""
    type_ = c.model.types.get(node)
    if not isinstance(type_, Scalar) or type_.elem in ("s32", "int"):
        return constant(node.value)
    return constant(dtype_of(type_.elem).type(node.value))


def _real(c: Compiler, node: ast.RealLit) -> Fn:
    return constant(np.float32(node.value) if node.single else np.float64(node.value))


def _const(c: Compiler, node: ast.Const) -> Fn:
    return constant({"true": True, "false": False, "inf": np.float32(np.inf)}.get(node.word, 0))


def _string(c: Compiler, node: ast.Str) -> Fn:
    return constant(node.value)


def _name(c: Compiler, node: ast.Name) -> Fn:
    slot, text, span = c.name_slot(node), node.id, node.span

    def run(frame: Frame) -> Value:
        value = frame.vars[slot]
        if value is None:
            raise SimError(f"'{text}' has no value here", span)
        return value

    if c.symbol(node) in c.carried:
        return lambda frame: checked(run(frame), text, span)
    return run


def _unary(c: Compiler, node: ast.Unary) -> Fn:
    operand = c.expr(node.operand)
    function = {"-": negate, "!": logical_not, "~": invert}[node.op]
    return lambda frame: function(operand(frame))


def _binary(c: Compiler, node: ast.Binary) -> Fn:
    if node.op in ("&&", "||"):
        return _logical(c, node)
    left, right = operand(c, node.left), operand(c, node.right)
    if node.op == "#":
        width = bound_of(c, node.right)
        times, plus = BINARY["*"], BINARY["+"]
        return lambda frame: plus(times(left(frame), width(frame)), right(frame))
    if node.op.startswith("#"):
        return left
    op = arithmetic(node.op, node.span)
    return lambda frame: op(frame, left(frame), right(frame))


def arithmetic(name: str, span: Span) -> Callable[[Frame, Value, Value], Value]:
    """An operator on values. Raises SimError where an active thread divides an integer by zero."""
    op = BINARY[name]
    if name not in ("/", "%", "cdiv"):
        return lambda frame, a, b: op(a, b)

    def divide(frame: Frame, a: Value, b: Value) -> Value:
        try:
            return op(a, b if floating(a) or isinstance(b, tuple) else _divisor(frame, b))
        except ZeroDivisionError as error:
            raise SimError("division by zero", span) from error

    return divide


def _divisor(frame: Frame, value: Value) -> Value:
    """An integer divisor, 1 for the threads that do not take part. Raises ZeroDivisionError."""
    if floating(value):
        return value
    zero = np.equal(value, 0)
    if not np.any(zero):
        return value
    mask = frame.mask
    if mask is None or np.any(zero & mask if np.shape(zero)[-1:] in ((), mask.shape) else zero):
        raise ZeroDivisionError
    return 1 if is_uniform(value) else np.where(zero, np.ones_like(value), value)


def operand(c: Compiler, node: ast.Expr) -> Fn:
    """A value to compute with; a register tile (6.5) and whole data (3.9) stand for all of their elements."""
    value, span, type_ = c.expr(node), node.span, c.model.types.get(node)
    if not isinstance(type_, Fragment | Data):
        return value
    elem = type_.elem if isinstance(type_, Fragment) else None

    def run(frame: Frame) -> Value:
        found = value(frame)
        if isinstance(found, Accumulator):
            found = tile_of(frame, found, span)
            found = found if elem is None else cast(found, dtype_of(elem))
        if isinstance(found, Buffer):
            found = found.values()
        if isinstance(found, View):
            found = found.window(found.shape)
        return found

    return run


def _logical(c: Compiler, node: ast.Binary) -> Fn:
    """`&&` and `||`: the right side is evaluated for the threads that need it alone."""
    left, right, conjunction = c.expr(node.left), c.expr(node.right), node.op == "&&"

    def run(frame: Frame) -> Value:
        first = left(frame)
        if is_uniform(first):
            return right(frame) if bool(first) == conjunction else bool(first)
        saved = frame.mask
        frame.mask = frame.narrowed(first if conjunction else ~first)
        second = right(frame)
        frame.mask = saved
        return first & second if conjunction else first | second

    return run


def _conditional(c: Compiler, node: ast.Cond) -> Fn:
    test, then, other = c.expr(node.test), c.expr(node.then), c.expr(node.other)

    def run(frame: Frame) -> Value:
        condition = test(frame)
        if is_uniform(condition):
            return then(frame) if condition else other(frame)
        saved = frame.mask
        frame.mask = saved & condition if saved is not None else condition
        yes = then(frame)
        frame.mask = saved & ~condition if saved is not None else ~condition
        no = other(frame)
        frame.mask = saved
        return np.where(condition, *arms(yes, no))

    return run


def _paren(c: Compiler, node: ast.Paren) -> Fn:
    return c.expr(node.inner)


def _bound(c: Compiler, node: ast.BoundOf) -> Fn:
    return bound_of(c, node.name)


def _spread(parts: Sequence[Fn]) -> Fn:
    """A shape or tuple value; tuples among the items are concatenated."""

    def run(frame: Frame) -> Value:
        values: list[Value] = []
        for part in parts:
            value = part(frame)
            values.extend(value) if isinstance(value, tuple) else values.append(value)
        return tuple(values)

    return run


def _tuple(c: Compiler, node: ast.TupleLit | ast.ShapeLit) -> Fn:
    return _spread(c.exprs(node.items))


def derived(c: Compiler, base: Fn, items: tuple[ast.Expr, ...]) -> Fn:
    """`s[(1), (0) / 2]`: inside, `(k)` is element k of the base (3.2)."""
    return _spread([_derived_item(c, base, item) for item in items])


def _derived_item(c: Compiler, base: Fn, item: ast.Expr) -> Fn:
    if isinstance(item, ast.Paren) and isinstance(item.inner, ast.IntLit | ast.Name):
        index, span = c.expr(item.inner), item.span

        def run(frame: Frame) -> Value:
            return pick(base(frame), index(frame), span)

        return run
    if isinstance(item, ast.Binary) and item.op in BINARY:
        left, right, op = _derived_item(c, base, item.left), _derived_item(c, base, item.right), BINARY[item.op]
        return lambda frame: op(left(frame), right(frame))
    return c.expr(item)


def pick(value: Value, index: Value, span: Span) -> Value:
    try:
        return value[int(lone(index))]
    except (IndexError, TypeError) as error:
        raise SimError(f"there is no dimension {index}", span) from error


def _derive(c: Compiler, node: ast.Derive) -> Fn:
    return derived(c, c.expr(node.base), node.items)


def shape_of(value: Value) -> Value:
    """`.span` of a value: a buffer, view, future or fragment; tuples are shapes already."""
    if isinstance(value, FutureState):
        value = value.view
    if isinstance(value, View | Buffer):
        return value.shape
    return value


def _count(c: Compiler, node: ast.Count) -> Fn:
    operand = c.expr(node.operand)

    def run(frame: Frame) -> Value:
        value = shape_of(operand(frame))
        return prod(value) if isinstance(value, tuple) else value

    return run


def _size(c: Compiler, node: ast.SizeOf) -> Fn:
    return constant(dtype_of(node.elem).itemsize)


def _builtin(c: Compiler, node: ast.Builtin) -> Fn:
    args = c.exprs(node.args)
    if node.name == "__to":
        return _conversion(c, node, args[0])
    if node.name == "cdiv":
        divide = arithmetic("cdiv", node.span)
        return lambda frame: divide(frame, args[0](frame), args[1](frame))
    if node.name == "stage":  # the older `stage<N>(x)` is `x % N` (chapter 0)
        rest = arithmetic("%", node.span)
        return lambda frame: rest(frame, args[1](frame), args[0](frame))
    function, span = MATHS.get(node.name), node.span
    if function is None:
        raise SimError(f"{node.name} is not simulated", node.span, unsupported=True)
    if c.exact:
        function = precise(function)

    def run(frame: Frame) -> Value:
        try:
            return function(*(arg(frame) for arg in args))
        except ZeroDivisionError as error:
            raise SimError("division by zero", span) from error

    return run


def _conversion(c: Compiler, node: ast.Builtin, operand: Fn) -> Fn:
    if not isinstance(node.type_arg, str):
        raise SimError("a conversion to a C++ type is not simulated", node.span, unsupported=True)
    return to_elem(operand, node.type_arg)


def to_elem(operand: Fn, elem: str) -> Fn:
    """A value converted to an element type."""
    kind = dtype_of(elem)
    if elem in ("int", "s32"):
        return lambda frame: _control_integer(operand(frame))
    return lambda frame: cast(operand(frame), kind)


def _control_integer(value: Value) -> Value:
    """An `int`: Python integers and index arrays stay as they are, everything else becomes s32."""
    value = lone(value)
    if type(value) is int or (isinstance(value, np.ndarray) and value.dtype == np.int64):
        return value
    if isinstance(value, bool):
        return int(value)
    if floating(value) or getattr(value, "dtype", None) != np.dtype(np.int32):
        return cast(value, np.dtype(np.int32))
    return value


def _step(c: Compiler, node: ast.IncDec) -> Fn:
    slot, by, prefix = c.name_slot(node.name), 1 if node.op == "++" else -1, node.prefix

    def run(frame: Frame) -> Value:
        old = frame.vars[slot]
        new = old + by
        frame.vars[slot] = new if frame.mask is None else np.where(frame.mask, new, old)
        return new if prefix else old

    return run


def bound_of(c: Compiler, node: ast.Node) -> Fn:
    """The upper bound of a bounded value (3.4); a closure that gives None where the value has none."""
    match node:
        case ast.Name():
            slot = c.name_slot(node)
            return lambda frame: frame.bounds[slot]
        case ast.Paren():
            return bound_of(c, node.inner)
        case ast.Chain(base=base, suffixes=suffixes) if all(isinstance(each, ast.Pick) for each in suffixes):
            return _picked_bound(c, base, suffixes)
        case ast.Binary(op=op, left=left, right=right):
            return _composed_bound(c, op, left, right)
    return constant(None)


def _picked_bound(c: Compiler, base: ast.Expr, suffixes: tuple[ast.Suffix, ...]) -> Fn:
    inner = bound_of(c, base)
    index = c.expr(suffixes[0].arg) if isinstance(suffixes[0], ast.Pick) else constant(0)

    def run(frame: Frame) -> Value:
        value = inner(frame)
        return value[index(frame)] if isinstance(value, tuple) else value

    return run


def _composed_bound(c: Compiler, op: str, left: ast.Expr, right: ast.Expr) -> Fn:
    first = bound_of(c, left)
    if op == "#":
        second = bound_of(c, right)
        return lambda frame: first(frame) * second(frame)
    if op.startswith("#"):
        value, apply = c.expr(right), BINARY[op[1:]]
        return lambda frame: apply(first(frame), value(frame))
    if op in ("+", "-", "*", "/", "%"):
        return first
    return constant(None)


EXPRESSIONS: dict[type, Callable[[Compiler, Any], Fn]] = {
    ast.IntLit: _integer,
    ast.RealLit: _real,
    ast.Const: _const,
    ast.Str: _string,
    ast.Name: _name,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.Cond: _conditional,
    ast.Paren: _paren,
    ast.BoundOf: _bound,
    ast.Count: _count,
    ast.SizeOf: _size,
    ast.TupleLit: _tuple,
    ast.ShapeLit: _tuple,
    ast.Derive: _derive,
    ast.Builtin: _builtin,
    ast.IncDec: _step,
}
