"""Expressions of step programs: values, what is not known, and how they go on with a loop's index."""

from __future__ import annotations

import pytest

from croqc.flow.courses import course
from croqc.flow.exprs import DATA, VARIES, Expr, UndecidedError, apply, closure, const, floored, unknown, var

K, N = var(0), var(1)


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (apply("+", apply("*", K, const(3)), N), 7 * 3 + 2),
        (apply("/", const(-7), const(2)), -3),  # towards zero
        (apply("%", const(-7), const(2)), -1),
        (floored("/", const(-7), const(2)), -4),  # down, as the normal form of sizes does
        (floored("/", apply("-", N, K), const(2)), -3),
        (floored("%", apply("-", N, K), const(4)), 3),
        (floored("cdiv", K, N), 4),
        (apply("cdiv", K, N), 4),
        (apply("%", K, const(4)), 3),
        (apply("&&", apply("<", N, K), apply("!=", K, const(7))), 0),
        (apply("?:", apply("==", N, const(2)), const(5), const(6)), 5),
        (apply("neg", K), -7),
    ],
)
def test_values(expr: Expr, value: int) -> None:
    assert closure(expr)([7, 2]) == value


@pytest.mark.parametrize(
    ("op", "values"),  # of -7, -6, 0, 6 and 7 with 3
    [
        ("%", [-1, 0, 0, 0, 1]),  # the sign of the left side
        ("/", [-2, -2, 0, 2, 2]),  # towards zero
        ("cdiv", [-2, -2, 0, 2, 3]),
        ("+", [-4, -3, 3, 9, 10]),
        ("-", [-10, -9, -3, 3, 4]),
        ("*", [-21, -18, 0, 18, 21]),
        ("<", [1, 1, 1, 0, 0]),
        (">", [0, 0, 0, 1, 1]),
        ("==", [0, 0, 0, 0, 0]),
    ],
)
def test_an_operation_with_a_constant_is_the_operation(op: str, values: list[int]) -> None:
    """A variable, a part and a variable on the right: each has a closure of its own."""
    for expr in (apply(op, K, const(3)), apply(op, apply("neg", apply("neg", K)), const(3)), apply(op, K, N)):
        assert [closure(expr)([left, 3]) for left in (-7, -6, 0, 6, 7)] == values


def test_nothing_added_leaves_the_value_as_it_is() -> None:
    assert apply("+", const(0), K) is K
    assert apply("+", K, const(0)) is K
    assert apply("-", const(0), K).op == "-"


def test_a_closure_is_made_once() -> None:
    expr = apply("%", K, N)
    assert closure(expr) is closure(expr)


def test_constants_are_folded_and_division_by_zero_is_not() -> None:
    assert apply("*", const(6), const(7)).const == 42
    assert apply("/", const(6), const(0)).const is None


@pytest.mark.parametrize(("value", "threads"), [(DATA, False), (VARIES, True)])
def test_what_is_not_known_raises_when_it_is_used(value: object, threads: bool) -> None:
    for expr in (apply("+", K, const(1)), apply("==", K, const(1)), apply("%", K, const(3))):
        with pytest.raises(UndecidedError) as caught:
            closure(expr)([value, 0])
        assert caught.value.threads is threads
    assert closure(apply("&&", const(0), unknown(const(0).span)))([]) == 0


@pytest.mark.parametrize(
    ("expr", "period"),
    [
        (apply("%", K, const(6)), 6),
        (apply("%", apply("/", K, const(3)), const(2)), 6),  # a parity: three turns each
        (apply("%", apply("+", apply("*", N, const(5)), K), const(4)), 4),
        (apply("+", apply("%", K, const(2)), apply("%", K, const(3))), 6),
        (apply("==", K, const(20)), 1),
        (apply("*", N, const(3)), 1),
        (apply("+", K, const(1)), None),
    ],
)
def test_the_period_in_the_index(expr: Expr, period: int | None) -> None:
    assert course(expr, 0).period == period


def test_constants_that_an_index_is_compared_with_are_kept() -> None:
    assert set(course(apply("==", K, const(20)), 0).bounds) == {20, 21}
    assert set(course(apply("<", apply("/", K, const(4)), const(3)), 0).bounds) == {12, 16}
    shifted = apply("/", apply("-", K, const(3)), const(4))  # 7 from 31 on, 8 from 35 on
    assert {31, 35} <= set(course(apply(">", shifted, const(7)), 0).bounds)
    twice = apply("-", apply("/", apply("-", K, const(40)), const(4)), const(10))  # 8 from 4 * 18 + 40 on
    assert 112 in course(apply(">", twice, const(7)), 0).bounds
    crossing = course(apply("<", K, N), 0)
    assert (crossing.period, crossing.plain) == (1, False)
