"""Normal form, rounding, questions and bounds of symbolic integers; agreement with plain integers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croqc.sema.intervals import bounds
from croqc.sema.symbolic import Int, is_multiple, same

M, N, K = (Int.of(name) for name in "MNK")


def num(value: int) -> Int:
    return Int.of(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (M + N - M, "N"),
        (N * M + M * N, "2*M*N"),
        (M * K - num(1), "K*M - 1"),
        (K.cdiv(num(64)), "cdiv(K, 64)"),
        ((K * num(64)).floordiv(num(64)), "K"),
        ((num(128) * K + N).floordiv(num(64)), "2*K + N / 64"),
        ((M * N).floordiv(N), "M"),
        (M.floordiv(num(2)).floordiv(num(3)), "M / 6"),
        ((num(5) * M + num(7)).mod(num(3)), "(2*M + 1) % 3"),
        ((M * num(4)).mod(num(2)), "0"),
        (num(100).cdiv(num(32)), "4"),
        (num(100).floordiv(num(32)), "3"),
        (K.floordiv(num(2)) * num(3), "3*(K / 2)"),
        (M - N * num(2), "M - 2*N"),
        (-M, "-M"),
        (Int.of("i'2") + Int.of("i"), "i + i"),
        (num(0), "0"),
    ],
)
def test_normal_form_as_written(value: Int, text: str) -> None:
    assert str(value) == text


def test_equal_forms_are_one_value() -> None:
    assert hash((M + N) * (M - N)) == hash(M * M - N * N)
    assert (M + N) * (M - N) == M * M - N * N


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        (M + N, N + M, True),
        (M + num(1), M, False),
        (M * num(2), N * num(2) + num(1), False),
        (M, N, None),
        (M.floordiv(M.cdiv(num(64))), num(64), None),
    ],
)
def test_same(a: Int, b: Int, verdict: bool | None) -> None:
    assert same(a, b) is verdict


@pytest.mark.parametrize(
    ("value", "by", "verdict"),
    [
        (M * num(64), 32, True),
        (M * num(64) + num(1), 32, False),
        (M * num(2) + num(1), 4, False),
        (M, 32, None),
        (num(96), 32, True),
    ],
)
def test_is_multiple(value: Int, by: int, verdict: bool | None) -> None:
    assert is_multiple(value, by) is verdict


def test_bounds_follow_the_intervals_of_the_symbols() -> None:
    env = {"M": (1, 100), "N": (0, None)}
    assert bounds(M * num(2) - num(3), env) == (-1, 197)
    assert bounds(M.cdiv(num(64)) * num(64), env) == (64, 128)
    assert bounds(N.mod(num(4)), env) == (0, 3)
    assert bounds(M + N, env) == (1, None)
    assert bounds(K, env) == (None, None)


def test_division_by_zero_and_unknown_symbols_have_no_value() -> None:
    assert M.floordiv(num(0)).evaluate({"M": 3}) is None
    assert M.mod(num(0)).evaluate({"M": 3}) is None
    assert (M + N).evaluate({"M": 3}) is None


def test_names_include_those_inside_parts() -> None:
    assert (M.floordiv(num(3)) * N.cdiv(K)).names() == {"M", "N", "K"}


def test_products_do_not_explode() -> None:
    value = num(1)
    for step in range(14):
        value = value * (Int.of(f"a{step}") + Int.of(f"b{step}"))
    assert len(value.terms) <= 48
    assert value.evaluate({f"{side}{step}": 1 for side in "ab" for step in range(14)}) == 2**14


def _apply(op: str, a: Int, b: Int) -> Int:
    table = {"+": a + b, "-": a - b, "*": a * b, "/": a.floordiv(b), "%": a.mod(b), "c": a.cdiv(b)}
    return table[op]


_LEAVES = st.sampled_from(["M", "N", "K", 0, 1, 2, 3, 7, 64])
_TREES = st.recursive(_LEAVES, lambda inner: st.tuples(st.sampled_from("+-*/%c"), inner, inner), max_leaves=8)


def _build(tree: object) -> Int:
    if isinstance(tree, tuple):
        return _apply(tree[0], _build(tree[1]), _build(tree[2]))
    assert isinstance(tree, str | int)
    return Int.of(tree)


def _plain(tree: object, env: dict[str, int]) -> int | None:
    """The value by plain integers; None where a divisor is not positive."""
    if not isinstance(tree, tuple):
        return env[tree] if isinstance(tree, str) else int(str(tree))
    a, b = _plain(tree[1], env), _plain(tree[2], env)
    if a is None or b is None or (tree[0] in "/%c" and b <= 0):
        return None
    return {"+": a + b, "-": a - b, "*": a * b}.get(tree[0]) if tree[0] in "+-*" else {
        "/": a // b, "%": a % b, "c": -(-a // b)
    }[tree[0]]  # fmt: skip


_ENV = st.fixed_dictionaries({name: st.integers(1, 200) for name in "MNK"})


@given(_TREES, _ENV)
def test_the_normal_form_keeps_the_value(tree: object, env: dict[str, int]) -> None:
    expected = _plain(tree, env)
    value = _build(tree)
    if expected is not None:
        assert value.evaluate(env) == expected
        assert value.substitute({name: Int.of(number) for name, number in env.items()}).const == expected


@given(_TREES, _ENV)
def test_bounds_hold_the_value(tree: object, env: dict[str, int]) -> None:
    expected = _plain(tree, env)
    if expected is not None:
        low, high = bounds(_build(tree), dict.fromkeys("MNK", (1, 200)))
        assert low is None or low <= expected
        assert high is None or expected <= high


@pytest.mark.parametrize(("op", "values"), [("/", [-1, -1, 0, 0, 1]), ("%", [-2, 0, -3, 3, 0])])
def test_truncated_division(op: str, values: list[int]) -> None:
    """Of -6, -4, -3, 3 and 4 by 4, before and after a substitution."""
    value = (Int.of("D") - Int.of(10)).truncated(op, Int.of(4))
    for at, expected in zip((4, 6, 7, 13, 14), values, strict=True):
        assert value.evaluate({"D": at}) == expected
        assert value.substitute({"D": Int.of(at)}).const == expected
    assert str(value) == f"(D - 10) {op} 4"
    assert value != (Int.of("D") - Int.of(10)).floordiv(Int.of(4))


def test_bounds_of_truncated_division() -> None:
    """From -7 to 9 by 4: -1 to 2, with rests from -3 to 3; from -7 to -5: -1."""
    value, by = Int.of("D"), Int.of(4)
    assert bounds(value.truncated("/", by), {"D": (-7, 9)}) == (-1, 2)
    assert bounds(value.truncated("/", by), {"D": (-7, -5)}) == (-1, -1)
    assert bounds(value.truncated("%", by), {"D": (-7, 9)}) == (-3, 3)
