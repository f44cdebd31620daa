"""Symbolic integers as expressions: what the card computes of them, with C's division, is their value."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from croqc.pipe.build.integers import of_int
from croqc.pipe.evaluate import evaluate
from croqc.pipe.printer import expression
from croqc.sema.symbolic import Int

M, N = Int.of("M"), Int.of("N")
TERMS = st.lists(st.tuples(st.integers(-70, 70), st.sampled_from(((), ("M",), ("N",), ("M", "N")))), max_size=3)


def total(terms: list[tuple[int, tuple[str, ...]]], sizes: dict[str, int]) -> int:
    return sum(factor * prod(sizes[name] for name in names) for factor, names in terms)


def symbolic(terms: list[tuple[int, tuple[str, ...]]]) -> Int:
    found = Int.of(0)
    for factor, names in terms:
        term = Int.of(factor)
        for name in names:
            term = term * Int.of(name)
        found = found + term
    return found


@given(TERMS, st.integers(1, 70), st.integers(1, 100), st.integers(1, 100))
@example([(64, ("N",)), (1, ("M",)), (-100, ())], 64, 50, 2)
def test_division_rounds_down_on_the_card_too(
    terms: list[tuple[int, tuple[str, ...]]], by: int, m: int, n: int
) -> None:
    """Also where a dividend may be negative: (64 N + M - 100) / 64 is N + (M - 100) / 64 in the normal form."""
    sizes, value = {"M": m, "N": n}, symbolic(terms)
    exact = total(terms, sizes)
    assert evaluate(of_int(value.floordiv(Int.of(by)), {}), sizes) == exact // by
    assert evaluate(of_int(value.mod(Int.of(by)), {}), sizes) == exact % by
    assert evaluate(of_int(value.cdiv(Int.of(by)), {}), sizes) == -(-exact // by)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (M.floordiv(Int.of(64)), "M / 64"),
        ((M - Int.of(1)).floordiv(Int.of(64)), "(M + 63) / 64 - 1"),
        (N + (M - Int.of(100)).floordiv(Int.of(64)), "N + ((M + 28) / 64 - 2)"),
        ((M - N).floordiv(Int.of(8)), "(M - N - ((M - N) % 8 + 8) % 8) / 8"),
    ],
)
def test_only_dividends_that_may_be_negative_cost_anything(value: Int, text: str) -> None:
    assert expression(of_int(value, {})) == text
