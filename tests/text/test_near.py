"""The word that was meant."""

import pytest

from croqc.text.near import did_you_mean, nearest


@pytest.mark.parametrize(
    ("word", "known", "best"),
    [
        ("kk", ["K", "M", "k"], "k"),
        ("KK", ["K", "M", "k"], "K"),
        ("lsh", ["lhs", "rhs"], "lhs"),
        ("outptu", ["input", "output"], "output"),
        ("x", ["alpha", "beta"], None),
        ("x", [], None),
        ("aab", ["aba", "baa"], "aba"),
    ],
)
def test_nearest(word: str, known: list[str], best: str | None) -> None:
    assert nearest(word, known) == best


def test_hints() -> None:
    assert did_you_mean("lsh", ["lhs"]) == "did you mean 'lhs'?"
    assert did_you_mean("q", ["beta", "alpha"]) == "known: alpha, beta"
    assert did_you_mean("q", [f"name{i}" for i in range(17)]) == ""


def test_a_long_word_is_like_nothing() -> None:
    """The comparison takes the square of the length."""
    assert nearest("x" * 200_000, ["x" * 199_999]) is None
    assert nearest("x" * 99 + "y", ["x" * 100]) == "x" * 100
