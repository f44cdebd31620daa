"""Arithmetic on run-time values (reference, 3.1, 3.2, 2.5). Must not know threads or memory.

A value is a Python int or bool, a NumPy scalar, an array with one entry a thread, or a tuple of those
(shapes, ituples, bounded tuples). Integers divide towards zero, as on the device.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from croqc.engines.sim.machine.dtypes import convert, is_float

Value = Any


def match(a: Value, b: Value) -> tuple[Value, Value]:
    """Both operands in types whose NumPy result is the language's: an integer meets a float as that float."""
    kind_a: Any = getattr(a, "dtype", None)
    kind_b: Any = getattr(b, "dtype", None)
    if kind_a is None and kind_b is None:
        return a, b
    if kind_a is None:
        b, a = _with_control(b, a, kind_b)
        return a, b
    if kind_b is None:
        return _with_control(a, b, kind_a)
    if kind_a is not kind_b:
        if is_float(kind_a) != is_float(kind_b):
            return (a, b.astype(kind_a)) if is_float(kind_a) else (a.astype(kind_b), b)
        if {kind_a.kind, kind_b.kind} == {"i", "u"}:
            signed, unsigned = (kind_a, kind_b) if kind_a.kind == "i" else (kind_b, kind_a)
            if unsigned.itemsize >= signed.itemsize:  # NumPy would take a wider signed type (3.1 has the unsigned one)
                return a.astype(unsigned), b.astype(unsigned)
    return a, b


def arms(a: Value, b: Value) -> tuple[Value, Value]:
    """The values that `?:` chooses from: integers keep their values where a type holds both."""
    kinds = [getattr(value, "dtype", None) for value in (a, b)]
    if all(kind is not None and kind.kind in "iu" and kind.itemsize < 8 for kind in kinds):
        return a, b
    return match(a, b)


def _with_control(value: Value, control: Value, kind: np.dtype[Any]) -> tuple[Value, Value]:
    """A typed value beside a Python integer, which counts as s32: narrow integers widen, unsigned ones stay."""
    if is_float(kind):
        return value, kind.type(control)
    if kind.itemsize < 4:
        return value.astype(np.int32), control
    low, high = _LIMITS.get(kind, (0, 0))
    if low <= control <= high:
        return value, control
    return value, np.int64(control) if kind.kind == "i" else np.int64(control).astype(kind)


_LIMITS = {
    np.dtype(kind): (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for kind in (np.int32, np.int64, np.uint32, np.uint64)
}


def _elementwise(op: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def apply(a: Value, b: Value) -> Value:
        if type(a) is int and type(b) is int:
            return op(a, b)
        if isinstance(a, tuple) or isinstance(b, tuple):
            return _on_tuples(apply, a, b)
        return op(*match(a, b))

    return apply


def _on_tuples(op: Callable[[Value, Value], Value], a: Value, b: Value) -> Value:
    if not isinstance(a, tuple):
        return tuple(op(a, item) for item in b)
    if not isinstance(b, tuple):
        return tuple(op(item, b) for item in a)
    return tuple(op(x, y) for x, y in zip(a, b, strict=True))


def lone(value: Value) -> Value:
    """The item of a tuple of rank 1, which stands for an integer where one is needed; else the value."""
    return value[0] if isinstance(value, tuple) and len(value) == 1 else value


def _comparison(op: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    compare = _elementwise(op)
    return lambda a, b: compare(lone(a), lone(b))


def floating(value: Value) -> bool:
    kind = getattr(value, "dtype", None)
    return isinstance(value, float) if kind is None else is_float(kind)


def _divide(a: Value, b: Value) -> Value:
    if floating(a) or floating(b):
        return a / b
    if type(a) is int and type(b) is int:
        return a // b if (a >= 0) == (b > 0) or a % b == 0 else -(-a // b) if b > 0 else -(a // -b)
    quotient = a // b
    return quotient + ((quotient * b != a) & ((a < 0) != (b < 0)))


def _remainder(a: Value, b: Value) -> Value:
    if floating(a) or floating(b):
        return np.fmod(a, b)
    if type(a) is int and type(b) is int and a >= 0 and b > 0:
        return a % b
    return a - _divide(a, b) * b


def _ceiling(a: Value, b: Value) -> Value:
    quotient = _divide(a, b)  # `a + b - 1` may be no value of a narrow type
    return quotient + ((quotient * b != a) & ((a < 0) == (b < 0)))


def _shift(op: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    """The result has the type of what is shifted; the count is a number (3.1, rule 6)."""
    plain = _elementwise(op)

    def apply(a: Value, b: Value) -> Value:
        kind = getattr(a, "dtype", None)
        return plain(a, b) if kind is None or kind.kind not in "iu" else op(a, cast(b, kind))

    return apply


BINARY: dict[str, Callable[[Value, Value], Value]] = {
    "+": _elementwise(operator.add),
    "-": _elementwise(operator.sub),
    "*": _elementwise(operator.mul),
    "/": _elementwise(_divide),
    "%": _elementwise(_remainder),
    "cdiv": _elementwise(_ceiling),
    "==": _comparison(operator.eq),
    "!=": _comparison(operator.ne),
    "<": _comparison(operator.lt),
    "<=": _comparison(operator.le),
    ">": _comparison(operator.gt),
    ">=": _comparison(operator.ge),
    "&": _elementwise(operator.and_),
    "|": _elementwise(operator.or_),
    "^": _elementwise(operator.xor),
    "<<": _shift(operator.lshift),
    ">>": _shift(operator.rshift),
}


def negate(value: Value) -> Value:
    return tuple(-item for item in value) if isinstance(value, tuple) else -value


def invert(value: Value) -> Value:
    """`~`."""
    return ~value


def logical_not(value: Value) -> Value:
    return not value if isinstance(value, bool | int) else np.logical_not(value)


def cast(value: Value, kind: np.dtype[Any]) -> Value:
    """A value as an element type; arrays stay arrays, scalars become NumPy scalars."""
    value = lone(value)
    if isinstance(value, tuple):
        return value
    if not hasattr(value, "dtype"):
        value = (
            np.float64(value)
            if isinstance(value, float)
            else np.bool_(value)
            if value is True or value is False
            else np.uint64(value)
            if value >= 2**63
            else np.int64(value)
        )
    if value.dtype == kind:
        return value
    return convert(np.asarray(value), kind)[()]


def is_uniform(value: Value) -> bool:
    """One value for all threads."""
    return not (isinstance(value, np.ndarray) and value.ndim)


def single(value: Value) -> Value:
    """A value for all threads as one Python or NumPy scalar, if all threads agree; else None."""
    value = lone(value)
    if is_uniform(value):
        return value
    first = value.reshape(-1)[0]
    return first if bool(np.all(value == first)) else None
