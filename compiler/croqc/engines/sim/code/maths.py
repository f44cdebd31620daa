"""The built-in functions of expressions (reference, 9.12). Must not know threads or memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from croqc.engines.sim.code.values import BINARY, Value, cast, floating, match
from croqc.engines.sim.machine.dtypes import is_float


def _wide(value: Value) -> tuple[Value, np.dtype[Any]]:
    """The value in a type NumPy computes in, and the type of the result. Integers compute as f32."""
    kind = getattr(value, "dtype", None)
    if kind is None or not is_float(kind):
        return np.float32(value) if kind is None else value.astype(np.float32), np.dtype(np.float32)
    return (value, kind) if kind.itemsize >= 4 else (value.astype(np.float32), kind)


def _real(function: Callable[..., Value]) -> Callable[..., Value]:
    """A function of floats whose result has the type of its first argument."""

    def apply(*args: Value) -> Value:
        first, kind = _wide(args[0])
        result = function(first, *(_wide(each)[0] for each in args[1:]))
        return result.astype(kind) if result.dtype != kind else result

    return apply


def precise(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function computed in f64 and rounded once to the type that it gives: what libraries give is near that."""
    wide = np.dtype(np.float64)

    def apply(*args: Value) -> Value:
        plain = function(*args)
        kind = getattr(plain, "dtype", wide)
        if kind == wide or not is_float(kind):
            return plain
        return cast(function(*(cast(each, wide) if floating(each) else each for each in args)), kind)

    return apply


def _gelu(x: Value) -> Value:
    one = x.dtype.type
    return one(0.5) * x * (one(1) + np.tanh(one(0.79788456) * (x + one(0.044715) * x * x * x)))


def _softplus(x: Value) -> Value:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _pair(function: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def apply(a: Value, b: Value) -> Value:
        if type(a) is int and type(b) is int:
            return int(function(a, b))
        return function(*match(a, b))

    return apply


def _finite(x: Value) -> Value:
    return np.isfinite(x).astype(x.dtype) if floating(x) else x * 0 + 1


def _align_up(a: Value, n: Value) -> Value:
    return BINARY["*"](BINARY["cdiv"](a, n), n)


def _align_down(a: Value, n: Value) -> Value:
    return BINARY["*"](BINARY["/"](a, n), n)


MATHS: dict[str, Callable[..., Value]] = {
    "__acos": _real(np.arccos),
    "__asin": _real(np.arcsin),
    "__atan": _real(np.arctan),
    "__atan2": _real(np.arctan2),
    "__ceil": _real(np.ceil),
    "__cos": _real(np.cos),
    "__cosh": _real(np.cosh),
    "__exp": _real(np.exp),
    "__exp2f": _real(np.exp2),
    "__expm1": _real(np.expm1),
    "__fabs": _real(np.abs),
    "__floor": _real(np.floor),
    "__fmaf": _real(lambda a, b, c: (a.astype(np.float64) * b.astype(np.float64) + c).astype(a.dtype)),
    "__frcp_rn": _real(np.reciprocal),
    "__gelu": _real(_gelu),
    "__isfinite": _finite,
    "__log": _real(np.log),
    "__log1p": _real(np.log1p),
    "__max": _pair(np.maximum),
    "__min": _pair(np.minimum),
    "__pow": _real(np.power),
    "__round": _real(lambda x: np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)),
    "__rsqrt": _real(lambda x: np.reciprocal(np.sqrt(x))),
    "__sigmoid": _real(lambda x: np.reciprocal(x.dtype.type(1) + np.exp(-x))),
    "__sign": _real(lambda x: np.where(np.isnan(x), x.dtype.type(0), np.sign(x))),
    "__sin": _real(np.sin),
    "__sinh": _real(np.sinh),
    "__softplus": _real(_softplus),
    "__sqrt": _real(np.sqrt),
    "__tan": _real(np.tan),
    "__tanh": _real(np.tanh),
    "__alignup": _align_up,
    "__aligndown": _align_down,
}
