"""The value of an expectation's formula over arrays: the reference that a run is compared with.

Floats compute in f64, integers in int64. Division of two integers cuts towards zero, as in a kernel. Works on
the tree of `croqc.syntax.expectation` alone; never runs text as code. Arrays are those of a namespace `xp`: NumPy, or
one with the same functions on a card.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from croqc.runs.elements import ELEMENTS, Array, round_to
from croqc.sema.formula_shapes import (
    FormulaError,
    fit,
    has_axis,
    inside,
    no_step,
    no_subscript,
    product,
    subscripts,
    transposed,
)
from croqc.syntax import expectation as e
from croqc.text.near import did_you_mean
from croqc.text.span import Span


class HostOnlyError(Exception):
    """A part of a formula that only NumPy can evaluate: a cast to a type that other namespaces lack."""


class Evaluated(NamedTuple):
    """`steps` is the length of the longest sum behind one element: the K of `@`, the terms of `sum`, and those
    of the sum that `softmax` divides by."""

    array: Array
    steps: int


_NONE: Final[Mapping[str, Any]] = {}


def evaluate(node: e.Formula, names: Mapping[str, Any], before: Mapping[str, Any] = _NONE, xp: Any = np) -> Evaluated:
    """The value of `node`; `names` maps parameters, results and sizes to arrays or numbers, `before` those that
    `old` may name to what they were before the run.

    Raises FormulaError with the place in the formula, HostOnlyError for another namespace than NumPy.
    """
    evaluator = _Evaluator(names, before, xp)
    with np.errstate(all="ignore"):
        return Evaluated(evaluator.value(node), evaluator.steps)


def to_reference(values: Any, xp: Any = np) -> Array:
    """f64 for floats, int64 for integers, bool as it is; u64 values beyond int64 become f64."""
    array: Array = xp.asarray(values)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        return array.astype(np.float64)
    return array.astype(np.int64 if array.dtype.kind in "iu" else np.float64)


# Names of functions of the namespace.
_COMPARE: Final = {
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}
_ARITHMETIC: Final = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_EACH: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "abs": lambda xp, x: xp.abs(x),
    "exp": lambda xp, x: xp.exp(x),
    "sqrt": lambda xp, x: xp.sqrt(x),
    "tanh": lambda xp, x: xp.tanh(x),
    "relu": lambda xp, x: xp.maximum(x, 0),
    "sigmoid": lambda xp, x: 0.5 * (1 + xp.tanh(0.5 * x)),  # never overflows, unlike 1 / (1 + exp(-x))
}
_REDUCE: Final = {"sum": "sum", "max": "max", "min": "min"}
_PAIR: Final = {"max": "maximum", "min": "minimum"}


def compare_values(op: str, left: Array, right: Array, xp: Any = np) -> Array:
    """`op` element by element, for the comparisons other than `~=`."""
    holds: Array = xp.asarray(getattr(xp, _COMPARE[op])(left, right))
    return holds


class _Evaluator:
    def __init__(self, names: Mapping[str, Any], before: Mapping[str, Any], xp: Any) -> None:
        self._names = names
        self._before = before
        self._xp = xp
        self.steps = 1

    def _array(self, values: Any) -> Array:
        """An array of the namespace, also of what NumPy makes a scalar."""
        array: Array = self._xp.asarray(values)
        return array

    def _reference(self, values: Any) -> Array:
        return to_reference(values, self._xp)

    def value(self, node: e.Formula) -> Array:
        match node:
            case e.Number():
                return self._reference(node.value)
            case e.Ref():
                return self._name(node)
            case e.Negate():
                return self._array(self._xp.negative(_number(self.value(node.operand))))
            case e.Binary():
                return self._binary(node)
            case e.Compare():
                left, right = self.value(node.left), self.value(node.right)
                fit(node.span, left.shape, right.shape)
                return compare_values(node.op, left, right, self._xp)
            case e.Transpose():
                operand = self.value(node.operand)
                transposed(node.span, operand.shape)
                return self._array(self._xp.swapaxes(operand, -1, -2))
            case e.Subscript():
                return self._subscript(node)
            case e.Cast():
                return self._cast(node)
            case e.Apply():
                return self._apply(node)

    def _cast(self, node: e.Cast) -> Array:
        value = self.value(node.operand)
        if self._xp is np:
            return to_reference(round_to(node.elem, value))
        if node.elem not in ("f64", "f32", "f16"):
            raise HostOnlyError(f"a cast to {node.elem}")
        return self._reference(value.astype(ELEMENTS[node.elem].dtype))

    def _name(self, node: e.Ref) -> Array:
        if node.name not in self._names:
            hint = did_you_mean(node.name, self._names)
            raise FormulaError(f"unknown name '{node.name}'", node.span, hint)
        return self._known(node, self._names[node.name])

    def _old(self, node: e.Formula) -> Array:
        name = node.name if isinstance(node, e.Ref) else ""
        if name not in self._before:
            hint = did_you_mean(name, self._before)
            raise FormulaError(f"'{name}' is no parameter, so it has no value before the run", node.span, hint)
        return self._known(node, self._before[name])

    def _known(self, node: e.Formula, values: Any) -> Array:
        array = self._array(values)
        if array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
            problem = "this holds values of 2^63 and more, and formulas compute integers in 63 bits"
            raise FormulaError(problem, node.span, "write 'expect auto'")
        return self._reference(array)

    def _binary(self, node: e.Binary) -> Array:
        left, right = _number(self.value(node.left)), _number(self.value(node.right))
        if node.op == "@":
            return self._product(node.span, left, right)
        fit(node.span, left.shape, right.shape)
        if node.op == "/" and left.dtype.kind == right.dtype.kind == "i":
            if not bool(self._xp.all(right)):
                raise FormulaError("division of an integer by zero", node.right.span)
            xp = self._xp
            return self._array(xp.sign(left) * xp.sign(right) * (xp.abs(left) // xp.abs(right)))
        return self._array(getattr(self._xp, _ARITHMETIC[node.op])(left, right))

    def _product(self, span: Span, left: Array, right: Array) -> Array:
        product(span, left.shape, right.shape)
        self.steps = max(self.steps, left.shape[-1])
        if left.dtype.kind == right.dtype.kind == "i" and left.size and right.size:
            most = int(self._xp.abs(left).max()) * int(self._xp.abs(right).max()) * left.shape[-1]
            if most < 2**53:  # f64 is exact there, and BLAS is a hundred times faster than int64 loops
                return self._array(left.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)
        return self._array(left @ right)

    def _subscript(self, node: e.Subscript) -> Array:
        operand = self.value(node.operand)
        subscripts(node, operand.shape)
        keys = [self._key(item, size) for item, size in zip(node.items, operand.shape, strict=False)]
        return self._array(operand[tuple(keys)])

    def _key(self, item: e.Formula | e.Slice, size: int) -> int | slice:
        if isinstance(item, e.Slice):
            lower, upper, step = (
                None if part is None else self._integer(part) for part in (item.lower, item.upper, item.step)
            )
            if step == 0:
                raise no_step(item.span)
            return slice(lower, upper, step)
        index = self._integer(item)
        inside(index, size, item.span)
        return index

    def _integer(self, node: e.Formula) -> int:
        value = self.value(node)
        if value.ndim or value.dtype.kind != "i":
            raise no_subscript(node.span)
        return int(value)

    def _apply(self, node: e.Apply) -> Array:
        if node.name == "old":
            return self._old(node.args[0])
        args = [self.value(arg) for arg in node.args]
        first = args[0]
        has_axis(node, first.shape)
        fit(node.span, *(arg.shape for arg in args))
        if node.name == "where":
            return self._array(self._xp.where(*args))
        if len(args) == 2:
            return self._array(getattr(self._xp, _PAIR[node.name])(*map(_number, args)))
        first = _number(first)
        if node.name in _EACH:
            return self._array(_EACH[node.name](self._xp, first))
        if node.name == "softmax":
            self.steps = max(self.steps, first.shape[-1 if node.axis is None else node.axis] if first.ndim else 1)
            return _softmax(node, first, self._xp)
        if node.name == "sum":
            self.steps = max(self.steps, first.size if node.axis is None else first.shape[node.axis])
        return self._array(getattr(self._xp, _REDUCE[node.name])(first, axis=node.axis))


def _softmax(node: e.Apply, values: Array, xp: Any) -> Array:
    axis = -1 if node.axis is None else node.axis
    powers = xp.exp(values - values.max(axis=axis, keepdims=True))
    shares: Array = powers / powers.sum(axis=axis, keepdims=True)
    return shares


def _number(values: Array) -> Array:
    return values.astype(np.int64) if values.dtype.kind == "b" else values
