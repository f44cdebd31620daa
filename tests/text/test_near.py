"""The known word that a mistyped one was meant to be."""

import pytest

from croqc.text.near import did_you_mean, nearest

WORDS = ["MATMUL_TILE_K", "MATMUL_TILE_M", "MATMUL_STAGES", "lhs", "rhs", "output"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("MATMUL_STAGE", "MATMUL_STAGES"),
        ("outptu", "output"),
        ("OUTPUT", "output"),
        ("lsh", "lhs"),
        ("MATMUL_TILE_N", "MATMUL_TILE_K"),  # as near as ..._M: the first in alphabetical order
        ("zebra", None),
        ("", None),
    ],
)
def test_nearest(word: str, meant: str | None) -> None:
    assert nearest(word, WORDS) == meant
    assert nearest(word, reversed(WORDS)) == meant


def test_nothing_is_near_where_nothing_is_known() -> None:
    assert nearest("a", []) is None
    assert did_you_mean("a", []) == ""


def test_words_that_differ_in_case_only_give_the_first() -> None:
    assert nearest("tile", ["Tile", "TILE"]) == "TILE"


def test_a_hint_names_the_nearest_else_a_few() -> None:
    assert did_you_mean("outptu", WORDS) == "did you mean 'output'?"
    assert did_you_mean("zebra", ["lhs", "b", "lhs"]) == "known: b, lhs"
    assert did_you_mean("zebra", [f"p{n}" for n in range(3)]) == "known: p0, p1, p2"
    assert did_you_mean("zebra", [f"p{n}" for n in range(16)]).count("p") == 16
    assert did_you_mean("zebra", [f"p{n}" for n in range(17)]) == ""
