"""Shapes of expectations, without values: the same that evaluation finds, and told before a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from croqc.cli.main import main
from croqc.runs.evaluate import evaluate
from croqc.sema.formula_shapes import FormulaError, check_shapes
from croqc.syntax.expectation import Expectation, parse_expectation

SHAPES = {"x": (37, 10), "y": (37, 10), "v": (37,), "w": (10,), "b": (4, 10, 5), "N": ()}


def parsed(text: str) -> Expectation:
    expr = parse_expectation(text)
    assert isinstance(expr, Expectation)
    return expr


def refused(text: str) -> tuple[str, str] | None:
    """Message and hint."""
    try:
        check_shapes(parsed(text), SHAPES)
    except FormulaError as error:
        return str(error), error.hint
    return None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y ~= exp(x) / sum(exp(x), axis=1)", "shapes [37, 10] and [37] do not fit together"),
        ("y ~= x @ x", "'@' cannot multiply [37, 10] by [37, 10]"),
        ("y ~= x @ b", "the sides have different shapes: [37, 10] and [4, 37, 5]"),
        ("y ~= x.T", "the sides have different shapes: [37, 10] and [10, 37]"),
        ("y ~= v.T", "'.T' needs two axes, not [37]"),
        ("v ~= x[0]", "the sides have different shapes: [37] and [10]"),
        ("v ~= w[0, 1]", "2 subscripts for [10]"),
        ("v ~= sum(x, axis=2)", "[37, 10] has no axis 2"),
        ("w ~= softmax(x)[0] + max(v, w)", "shapes [37] and [10] do not fit together"),
        ("y ~= where(x < v, x, N)", "shapes [37, 10] and [37] do not fit together"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit(text: str, message: str) -> None:
    found = refused(text)
    assert found is not None
    assert found[0] == message


@pytest.mark.parametrize(
    "text",
    [
        "y ~= softmax(x)",
        "y.T ~= exp(x).T / sum(exp(x), axis=1)",
        "y ~= x / sum(x) * N + w",
        "v ~= x @ w",
        "w ~= v @ x",
        "v ~= x[:, 0]",  # how long a slice is depends on values
        "w ~= x[0] + b[0, :, 0]",
        "v ~= max(x, axis=1)",
        "w ~= sum(x, axis=-2)",
        "y ~= unknown + x",
        "y ~= 0",
        "old(y) == x",
    ],
)
def test_shapes_that_fit(text: str) -> None:
    assert refused(text) is None
    expr = parsed(text)
    if "unknown" not in text:  # evaluation says the same
        arrays = {name: np.ones(shape) for name, shape in SHAPES.items()}
        for side in (expr.left, expr.right):
            evaluate(side, arrays, arrays)


def test_one_value_a_row_is_told_with_the_way_out() -> None:
    found = refused("y ~= exp(x) / sum(exp(x), axis=1)")
    assert found is not None
    assert found[1] == "the last axes meet: write '.T' behind what is [37, 10], and behind the other side of the line"


def test_they_are_told_before_the_simulation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("it was run")

    monkeypatch.setattr("croqc.service.run.simulate", never)
    path = tmp_path / "k.co"
    path.write_text(
        "// croq: run M=37 N=10\n// croq: expect y ~= exp(x) / sum(exp(x), axis=1)\n"
        "__co__ void f(global f32 [M, N] x, global f32 [M, N] y) {\n"
        "  parallel r by M : block, c by N : thread { y.at(r, c) = x.at(r, c); }\n}\n"
    )
    assert main(["run", str(path)]) == 1
    told = capsys.readouterr()
    assert "shapes [37, 10] and [37] do not fit together; the last axes meet" in told.out + told.err
