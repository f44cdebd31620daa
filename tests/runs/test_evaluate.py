"""The evaluator: values worked out by hand, and a complaint at its place for each misuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from croqc.runs.evaluate import evaluate, to_reference
from croqc.sema.formula_shapes import FormulaError
from croqc.syntax.expectation import parse_formula

NAMES: dict[str, Any] = {
    "a": np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int32),
    "b": np.array([[1, 0], [0, 1], [2, 2]], dtype=np.int32),
    "x": np.array([-1.5, 0.0, 2.5], dtype=np.float32),
    "h": np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float16),
    "m": np.array([True, False, True]),
    "u": np.array([0, 15], dtype=np.uint8),
    "N": 3,
    "s": 0.5,
}


def value(text: str) -> Any:
    formula = parse_formula(text)
    assert not isinstance(formula, tuple), formula
    return evaluate(formula, NAMES).array.tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a @ b", [[7, 8], [16, 17]]),
        ("b.T @ a.T", [[7, 16], [8, 17]]),
        ("a @ x", [-1.5 + 7.5, -6.0 + 15.0]),
        ("x @ x", 1.5 * 1.5 + 2.5 * 2.5),
        ("h @ h", [[7.0, 10.0], [15.0, 22.0]]),
        ("a * 2 - 1", [[1, 3, 5], [7, 9, 11]]),
        ("-a[0]", [-1, -2, -3]),
        ("a / 2", [[0, 1, 1], [2, 2, 3]]),
        ("-a / 2", [[0, -1, -1], [-2, -2, -3]]),  # towards zero
        ("a / 2.0", [[0.5, 1.0, 1.5], [2.0, 2.5, 3.0]]),
        ("N / 2 + s", 1.5),
        ("sum(a)", 21),
        ("sum(a, axis=0)", [5, 7, 9]),
        ("sum(a, axis=-1)", [6, 15]),
        ("sum(m)", 2),
        ("max(a)", 6),
        ("min(a, axis=1)", [1, 4]),
        ("max(a, 3)", [[3, 3, 3], [4, 5, 6]]),
        ("min(x, a)", [[-1.5, 0.0, 2.5], [-1.5, 0.0, 2.5]]),
        ("relu(x)", [0.0, 0.0, 2.5]),
        ("relu(a - 4)", [[0, 0, 0], [0, 1, 2]]),
        ("abs(x)", [1.5, 0.0, 2.5]),
        ("exp(x)", [math.exp(-1.5), 1.0, math.exp(2.5)]),
        ("sqrt(x[2:] * 2.5)", [2.5]),
        ("tanh(x[1])", 0.0),
        ("sigmoid(0)", 0.5),
        ("where(x < 0, 1, 2)", [1, 2, 2]),
        ("where(m, x, 0)", [-1.5, 0.0, 2.5]),
        ("a >= 3", [[False, False, True], [True, True, True]]),
        ("m + m", [2, 0, 2]),
        ("u - 1", [-1, 14]),  # in int64, never modulo 256
        ("a[1, 0:2]", [4, 5]),
        ("a[:, -1]", [3, 6]),
        ("a[::-1, N - 1]", [6, 3]),
        ("a[-1][::2]", [4, 6]),
        ("a[0, 5:9]", []),
        ("cast(x, s32)", [-1, 0, 2]),
        ("cast(1.0625, f8_e4m3)", 1.0),
        ("cast(1000, f8)", 448.0),
        ("cast(300, s8)", 44),
        ("cast(x, bool)", [True, False, True]),
        ("softmax(x - x)", [1 / 3, 1 / 3, 1 / 3]),
        ("softmax(a - a, axis=0)", [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]),
        ("softmax(x * 1000)[2]", 1.0),
    ],
)
def test_values(text: str, expected: Any) -> None:
    assert np.allclose(value(text), expected, rtol=1e-15, atol=0)
    assert np.asarray(value(text)).dtype.kind == np.asarray(expected).dtype.kind or expected == []


def test_sigmoid_does_not_overflow() -> None:
    assert value("sigmoid(x * 10000)") == [0.0, 0.5, 1.0]
    assert value("sigmoid(1)") == pytest.approx(1 / (1 + math.exp(-1)), rel=1e-15)


def test_floats_compute_in_f64() -> None:
    names = {"t": np.array([2.0**24, 1.0], dtype=np.float32)}
    formula = parse_formula("sum(t)")
    assert not isinstance(formula, tuple)
    assert evaluate(formula, names).array == 2.0**24 + 1  # f32 would lose the 1


def test_integer_products_are_exact_beyond_f64() -> None:
    big = np.array([[2**31 - 1, 1]], dtype=np.int64)
    formula = parse_formula("p @ p.T")
    assert not isinstance(formula, tuple)
    assert evaluate(formula, {"p": big}).array.tolist() == [[(2**31 - 1) ** 2 + 1]]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a @ b", 3),
        ("x + 1", 1),
        ("sum(a)", 6),
        ("sum(a, axis=0)", 2),
        ("softmax(a)", 3),  # one sum a row
        ("2 * softmax(a, axis=0)", 2),
        ("max(a)", 1),  # rounds nothing
    ],
)
def test_steps_are_the_longest_sum(text: str, steps: int) -> None:
    formula = parse_formula(text)
    assert not isinstance(formula, tuple)
    assert evaluate(formula, NAMES).steps == steps


@pytest.mark.parametrize(
    ("text", "start", "end", "message", "hint"),
    [
        ("a + xx", 4, 6, "unknown name 'xx'", "did you mean 'x'?"),
        ("1 + zzzz", 4, 8, "unknown name 'zzzz'", "known: N, a, b, h, m, s, u, x"),
        ("a + b", 0, 5, "shapes [2, 3] and [3, 2] do not fit together", ""),
        ("a @ a", 0, 5, "'@' cannot multiply [2, 3] by [2, 3]", ""),
        ("a @ N", 0, 5, "'@' cannot multiply [2, 3] by a single number", ""),
        ("2 * (x.T)", 5, 8, "'.T' needs two axes, not [3]", ""),
        ("a[2]", 2, 3, "index 2 is outside an axis of 2", ""),
        ("a[0, -4]", 5, 7, "index -4 is outside an axis of 3", ""),
        ("x[0, 0]", 0, 7, "2 subscripts for [3]", ""),
        ("N[0]", 0, 4, "1 subscripts for a single number", ""),
        ("a[x]", 2, 3, "a subscript is one integer", ""),
        ("a[0.5]", 2, 5, "a subscript is one integer", ""),
        ("a[::0]", 2, 5, "the step of a slice is not 0", ""),
        ("sum(x, axis=1)", 0, 14, "[3] has no axis 1", ""),
        ("sum(N, axis=0)", 0, 14, "a single number has no axis 0", ""),
        ("softmax(N)", 0, 10, "'softmax' needs an axis, not a single number", ""),
        ("a / (N - 3)", 5, 10, "division of an integer by zero", ""),
        ("where(m, a, h)", 0, 14, "shapes [3] and [2, 3] and [2, 2] do not fit together", ""),
        ("max(a, b)", 0, 9, "shapes [2, 3] and [3, 2] do not fit together", ""),
        ("a < b", 0, 5, "shapes [2, 3] and [3, 2] do not fit together", ""),
    ],
)
def test_complaints(text: str, start: int, end: int, message: str, hint: str) -> None:
    formula = parse_formula(text)
    assert not isinstance(formula, tuple)
    with pytest.raises(FormulaError) as caught:
        evaluate(formula, NAMES)
    error = caught.value
    assert (error.message, error.hint) == (message, hint)
    assert (error.span.start, error.span.end) == (start, end)


def test_batched_products() -> None:
    batch = np.arange(12, dtype=np.int32).reshape(2, 2, 3)
    formula = parse_formula("q @ q.T")
    assert not isinstance(formula, tuple)
    assert evaluate(formula, {"q": batch}).array.tolist() == [[[5, 14], [14, 50]], [[149, 212], [212, 302]]]
    bad = parse_formula("q @ r")
    assert not isinstance(bad, tuple)
    with pytest.raises(FormulaError, match="do not fit"):
        evaluate(bad, {"q": batch, "r": np.zeros((5, 3, 2))})


def test_reference_types() -> None:
    assert to_reference(np.uint64(2**63)).dtype == np.float64
    assert to_reference(np.uint64(7)).dtype == np.int64
    assert to_reference(True).dtype == np.bool_
    assert to_reference(np.float16(1)).dtype == np.float64
