"""The word that was meant."""

import pytest

from croqc.text.near import did_you_mean, is_certain, is_slip, nearest


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


@pytest.mark.parametrize(
    ("one", "other", "slip"),
    [
        ("while", "whle", True),
        ("while", "whille", True),
        ("while", "wihle", True),
        ("while", "whale", True),
        ("while", "wile", True),
        ("while", "whlei", False),
        ("at", "ta", True),
        ("at", "a", True),
        ("at", "an", False),
        ("dma", "mma", False),
        ("while", "while", False),
    ],
)
def test_a_slip_of_the_keyboard(one: str, other: str, slip: bool) -> None:
    assert is_slip(one, other) == is_slip(other, one) == slip


def test_a_slip_is_nearer_than_a_longer_word_that_shares_more_letters() -> None:
    assert nearest("ta", ["at", "data"]) == "at"
    assert nearest("TILE_KK", ["TILE_K", "STEP_K", "TILE_MK"]) == "TILE_K"


@pytest.mark.parametrize(
    ("word", "known", "certain"),
    [
        ("prnt", ["print", "println"], True),
        ("printl", ["print", "println"], False),
        ("wit", ["wait", "with"], False),
        ("IF", ["if", "ifs"], False),
        ("foreeeach", ["foreach", "forward"], True),
        ("foo", ["foreach"], False),
    ],
)
def test_only_one_word_can_be_meant(word: str, known: list[str], certain: bool) -> None:
    assert is_certain(word, nearest(word, known) or "", known) is certain
