"""Assignments and scalar, shape and tuple declarations (reference, 2.4.2, 3.1, 3.2). Must not declare memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from croqc.engines.sim.code.accumulator import from_values
from croqc.engines.sim.code.atomics import atomic
from croqc.engines.sim.code.carried import assigned
from croqc.engines.sim.code.compiler import Code, Compiler, Fn, sequence
from croqc.engines.sim.code.elements import loader, place_fn, store
from croqc.engines.sim.code.exprs import arithmetic, bound_of, operand, to_elem
from croqc.engines.sim.code.sync import named_barrier
from croqc.engines.sim.code.values import Value, match, single
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import Array, convert, holds
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.views import View
from croqc.engines.sim.state import Frame, FutureState
from croqc.sema.formula_shapes import FormulaError
from croqc.sema.model import Symbol
from croqc.sema.types import Data, Fragment, Scalar
from croqc.syntax import ast
from croqc.text.span import Span


def right_side(c: Compiler, node: ast.Expr | ast.Call | ast.Select) -> Fn:
    """The value that is assigned: an expression, an atomic's old value, a chosen one of several."""
    if isinstance(node, ast.Call):
        return _called(c, node)
    if isinstance(node, ast.Select):
        return selected(c, node)
    return c.expr(node)


def _called(c: Compiler, node: ast.Call) -> Fn:
    if node.kind == "atomic":
        return atomic(c, node, needs_old=True)
    args, callee, span = c.exprs(node.args), node.callee, node.span

    def run(frame: Frame) -> Value:
        model = frame.run.models.get(callee)
        if model is None:
            text = f"'{callee}' is C++ and not simulated; give it a meaning with '// croq: model {callee}(…) = …'"
            raise SimError(text, span, unsupported=True)
        try:
            return model(*(_argument(arg(frame)) for arg in args))
        except FormulaError as error:
            raise SimError(f"the model of '{callee}' does not fit: {error.message}", span) from error

    return run


def _argument(value: Value) -> Value:
    """Data arrives at a device function as its elements, everything else as it is."""
    if isinstance(value, FutureState):
        value = value.view
    if isinstance(value, Buffer):
        return value.values()
    return value.window() if isinstance(value, View) and value.uniform else value


def selected(c: Compiler, node: ast.Select) -> Fn:
    """`select(k, v0, v1, …)`. Raises SimError for an index without a value."""
    index, options, span = c.expr(node.index), c.exprs(node.options), node.span

    def run(frame: Frame) -> Value:
        one = single(index(frame))
        if one is None:
            raise SimError("the index of select differs from thread to thread", span)
        number = int(one)
        if not 0 <= number < len(options):
            raise SimError(f"select has {len(options)} values, the index is {number}", span)
        return options[number](frame)

    return run


def typed(c: Compiler, value: Fn, symbol: Symbol) -> Fn:
    """The value in the type of the variable, where it is a number."""
    kind = symbol.type
    if not isinstance(kind, Scalar) or not holds(kind.elem) or kind.elem == "bool":
        return value
    return to_elem(value, kind.elem)


def setter(c: Compiler, name: ast.Name, value: Fn, bound: Fn | None) -> Callable[[Frame], None]:
    """Gives a variable its value for the active threads."""
    symbol = c.symbol(name)
    slot, result, kind, own = c.slot(symbol), typed(c, value, symbol), symbol.type, symbol in c.carried

    def run(frame: Frame) -> None:
        new = result(frame)
        if frame.mask is not None and frame.vars[slot] is not None and _is_number(new):
            new = np.where(frame.mask, *match(new, frame.vars[slot]))
        if isinstance(new, np.ndarray) and isinstance(kind, Fragment):
            new = from_values(frame.vars[slot], new)
        elif isinstance(new, np.ndarray) and isinstance(kind, Data):
            new = whole_data(frame.vars[slot], new, symbol.name, name.span)
        frame.vars[slot] = new
        frame.bounds[slot] = None if bound is None else bound(frame)
        if own:
            assigned(frame, slot)

    return run


def whole_data(old: Value, values: Array, name: str, span: Span) -> Value:
    """Elements assigned to data as a whole: written to what the name stands for, or made into a buffer."""
    if not isinstance(old, Buffer | View):
        return Buffer.holding(name, values)
    target = old.values() if isinstance(old, Buffer) else old.window(old.shape)
    if target.shape != values.shape:
        raise SimError(f"data of the shape {list(values.shape)} for '{name}' of {list(target.shape)}", span)
    target[...] = convert(values, target.dtype)
    return old


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float | np.generic | np.ndarray)


def _assign(c: Compiler, node: ast.Assign) -> Code:
    return sequence([Code(_part(c, part)) for part in node.parts])


def _part(c: Compiler, part: ast.AssignPart) -> Callable[[Frame], None]:
    value = right_side(c, part.value)
    if isinstance(part.target, ast.Name):
        if part.op != "=":
            if not isinstance(part.value, ast.Call | ast.Select):
                value = operand(c, part.value)
            value = _combined(operand(c, part.target), part, value)
            return setter(c, part.target, value, None)
        bounded = isinstance(part.value, ast.Call | ast.Select)
        return setter(c, part.target, value, None if bounded else _safe_bound(c, part.value))
    return _element(c, part, value)


def _safe_bound(c: Compiler, node: ast.Node) -> Fn:
    bound = bound_of(c, node)

    def run(frame: Frame) -> Value:
        try:
            return bound(frame)
        except TypeError:
            return None

    return run


def _combined(old: Fn, part: ast.AssignPart, value: Fn) -> Fn:
    apply = arithmetic(part.op[:-1], part.span)
    return lambda frame: apply(frame, old(frame), value(frame))


def _element(c: Compiler, part: ast.AssignPart, value: Fn) -> Callable[[Frame], None]:
    place = place_fn(c, part.target, every=True)
    if part.op == "=":

        def write(frame: Frame) -> None:
            new = value(frame)
            store(place(frame), new, frame)

        return write
    apply, load = arithmetic(part.op[:-1], part.span), loader(c, part.target)

    def update(frame: Frame) -> None:
        where = place(frame)
        store(where, apply(frame, load(where, frame), value(frame)), frame)

    return update


def _scalar_decl(c: Compiler, node: ast.ScalarDecl) -> Code:
    codes: list[Code] = []
    for init in node.inits:
        if init.value is None:
            zero: Fn = lambda frame: 0  # noqa: E731
            codes.append(Code(setter(c, init.name, zero, None)))
            continue
        bounded = isinstance(init.value, ast.Call) or node.mutable
        codes.append(
            Code(setter(c, init.name, right_side(c, init.value), None if bounded else _safe_bound(c, init.value)))
        )
    return sequence(codes)


def _as_tuple(value: Fn) -> Fn:
    def run(frame: Frame) -> Value:
        found = value(frame)
        return found if isinstance(found, tuple) else (found,)

    return run


def _shape_decl(c: Compiler, node: ast.ShapeDecl | ast.TupleDecl) -> Code:
    return Code(setter(c, node.name, _as_tuple(c.expr(node.value)), None))


_REGISTER_HINTS = ("croq::cuda::setreg_inc", "croq::cuda::setreg_dec")


def _call_stmt(c: Compiler, node: ast.CallStmt) -> Code:
    if node.call.callee in _REGISTER_HINTS:
        return Code(lambda frame: None)
    if node.call.kind == "barrier":
        return named_barrier(c, node.call)
    value = atomic(c, node.call, needs_old=False) if node.call.kind == "atomic" else _called(c, node.call)

    def run(frame: Frame) -> None:
        value(frame)

    return Code(run)


ASSIGNMENTS: dict[type, Callable[[Compiler, Any], Code]] = {
    ast.Assign: _assign,
    ast.ScalarDecl: _scalar_decl,
    ast.ShapeDecl: _shape_decl,
    ast.TupleDecl: _shape_decl,
    ast.CallStmt: _call_stmt,
}
