"""One expect line against arrays: which tolerance holds, what the result says, what makes no sense."""

from __future__ import annotations

import math

import numpy as np
import pytest

from croqc.runs.check import Operand, check_expectation, is_copy
from croqc.sema.formula_shapes import FormulaError
from croqc.syntax.directive_clauses import ExpectDirective
from croqc.syntax.expectation import Expectation, parse_expectation
from croqc.text.record import replace
from croqc.text.span import Span


def expect(text: str) -> ExpectDirective:
    expr = parse_expectation(text)
    assert isinstance(expr, Expectation), expr
    return ExpectDirective(expr, None, None, text, 0, Span(0, len(text)))


LHS = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float16)
OPERANDS = {
    "lhs": Operand(LHS, "f16"),
    "rhs": Operand(LHS, "f16"),
    "out": Operand((LHS @ LHS).astype(np.float16), "f16", "f32"),
    "copied": Operand(LHS.T.copy(), "f16"),
    "count": Operand(np.array([3, 7], dtype=np.int32), "s32"),
    "M": Operand(np.array(2), "int"),
}


def test_a_product_within_the_default_tolerance() -> None:
    result = check_expectation(expect("out ~= lhs @ rhs"), OPERANDS)
    assert result.ok
    assert result.rtol == 4 * 2.0**-10
    rms = np.sqrt(np.mean(np.square([7.0, 10.0, 15.0, 22.0])))
    assert result.atol == pytest.approx(4 * 2.0**-23 * np.sqrt(2) * rms, rel=1e-15)
    assert (result.text, result.total, result.differing) == ("out ~= lhs @ rhs", 4, 0)


def test_a_wrong_element_is_named() -> None:
    wrong = OPERANDS["out"].array.copy()
    wrong[1, 0] = 15.5
    result = check_expectation(expect("out ~= lhs @ rhs"), OPERANDS | {"out": Operand(wrong, "f16", "f32")})
    assert not result.ok
    assert result.differing == 1
    assert result.worst is not None
    assert (result.worst.index, result.worst.got, result.worst.want) == ((1, 0), 15.5, 15.0)


def test_written_tolerances_win_each_for_itself() -> None:
    line = expect("out ~= lhs @ rhs")
    both = check_expectation(replace(line, rtol=0.5, atol=0.25), OPERANDS)
    assert (both.rtol, both.atol) == (0.5, 0.25)
    one = check_expectation(replace(line, rtol=0.5), OPERANDS)
    assert one.rtol == 0.5
    assert one.atol > 0


def test_sums_are_rounded_once_for_each_step_of_the_instruction() -> None:
    each = check_expectation(expect("out ~= lhs @ rhs"), OPERANDS)
    once = check_expectation(expect("out ~= lhs @ rhs"), OPERANDS | {"out": OPERANDS["out"]._replace(k_step=2)})
    assert each.atol == pytest.approx(math.sqrt(2) * once.atol, rel=1e-15)


def test_copies_and_integers_are_exact() -> None:
    for text in ("copied ~= lhs.T", "count ~= sum(lhs, axis=1)", "copied[0] ~= lhs[:, 0]"):
        result = check_expectation(expect(text), OPERANDS)
        assert (result.ok, result.rtol, result.atol) == (True, 0.0, 0.0), text
    nearly = LHS.T.copy()
    nearly[0, 0] = np.nextafter(np.float16(1), np.float16(2))
    operands = OPERANDS | {"copied": Operand(nearly, "f16")}
    assert not check_expectation(expect("copied ~= lhs.T"), operands).ok
    wider = check_expectation(replace(expect("copied ~= lhs.T"), rtol=2.0**-9), operands)
    assert (wider.ok, wider.rtol, wider.atol) == (True, 2.0**-9, 0.0)


def test_a_written_tolerance_is_for_integers_too() -> None:
    """As of a quantised result, which may be rounded the other way."""
    line = expect("count ~= sum(lhs, axis=1) + where(lhs[:, 0] > 0, 1, 0)")
    assert not check_expectation(line, OPERANDS).ok
    assert check_expectation(replace(line, atol=1.0), OPERANDS).ok
    assert not check_expectation(replace(line, atol=0.5), OPERANDS).ok


def test_other_comparisons() -> None:
    assert check_expectation(expect("count == sum(lhs, axis=-1)"), OPERANDS).ok
    assert check_expectation(expect("out > 6"), OPERANDS).ok
    low = check_expectation(expect("out > 7"), OPERANDS)
    assert (low.ok, low.differing) == (False, 1)
    assert low.worst is not None
    assert (low.worst.index, low.worst.got, low.worst.want) == ((0, 0), 7.0, 7.0)
    assert check_expectation(expect("count[M - 1] == 7"), OPERANDS).ok


@pytest.mark.parametrize(
    ("text", "start", "message"),
    [
        ("out ~= lhs @ rsh", 13, "unknown name 'rsh'"),
        ("out ~= lhs[0]", 0, "the sides have different shapes: [2, 2] and [2]"),
        ("sum(out) ~= lhs", 0, "the sides have different shapes: a single number and [2, 2]"),
    ],
)
def test_lines_without_meaning(text: str, start: int, message: str) -> None:
    with pytest.raises(FormulaError) as caught:
        check_expectation(expect(text), OPERANDS)
    assert caught.value.message == message
    assert caught.value.span.start == start


def test_what_counts_as_a_copy() -> None:
    for text, copy in (("a ~= b.T[0:2]", True), ("a[1] ~= b", True), ("a ~= -b", False), ("a ~= 0", False)):
        expr = parse_expectation(text)
        assert isinstance(expr, Expectation)
        assert is_copy(expr) is copy, text


def test_old_is_the_value_before_the_run() -> None:
    before, after = np.array([1.0, 2.0], np.float32), np.array([3.0, 6.0], np.float32)
    operands = {"y": Operand(after, "f32", before=before), "N": Operand(np.array(2), "s64")}
    assert check_expectation(expect("y ~= 3 * old(y)"), operands).ok
    assert not check_expectation(expect("y ~= 3 * y"), operands).ok
    assert check_expectation(expect("old(y)[1] == 2"), operands).ok
    with pytest.raises(FormulaError) as caught:
        check_expectation(expect("y == old(N)"), operands)
    assert str(caught.value) == "'N' is no parameter, so it has no value before the run"
    assert caught.value.span == Span(9, 10)


def test_a_copy_of_what_was_before_is_exact() -> None:
    line = expect("copied ~= old(lhs).T")
    assert line.expr is not None
    assert is_copy(line.expr)
