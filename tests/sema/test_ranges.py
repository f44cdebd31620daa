"""Index checks under loops and guards: proven violations are errors, everything else is silent (3.9)."""

from __future__ import annotations

import pytest

from tests.sema.study import device, host

OUT = "index-out-of-range"


@pytest.mark.parametrize(
    "code",
    [
        "foreach i in 8 x = w.at(i, 0);",
        "foreach {i, j} in w.span x = w.at(i, j);",
        "foreach i in [9] if (i < 8) x = w.at(i, 0);",
        "foreach i in [9] { if (i >= 8) break; x = w.at(i, 0); }",
        "foreach i in [9] { if (i == 8) continue; x = w.at(i, 0); }",
        "foreach i in [9] { if (i > 7) { y = 1; } else { x = w.at(i, 0); } }",
        "foreach i in [9] if (i + 1 <= 8 && n > 0) x = w.at(i, 0);",
        "foreach i in [9] if (!(i >= 8)) x = w.at(i, 0);",
        "foreach i in [9] if (i < n) x = w.at(i, 0);",
        "foreach i in [9] if (w.at(0, 0) > i) x = w.at(i, 0);",
        "foreach i in [9] if (i < 2 || i == 5) x = w.at(i, 0);",
        "with i in 9 { foreach i(:-1) x = w.at(i, 0); }",
        "with i in 9 { foreach i(1:) x = w.at(i - 1, 0); }",
        "with i in 16 { foreach i(::9) x = w.at(i / 2, 0); }",
        "with i in 12 { x = w.at(i, 0); }",
        "foreach i in 4, j in 2 x = w.at(i # j, 0);",
        "foreach i in [8] x = w.at(i, i % 6);",
        "foreach i in [8] x = w.at((i / 2) * 2 + i % 2, 0);",
        "foreach i in n x = w.at(i, 0);",
        "foreach i in M x = a.at(i, 0);",
        "foreach i in [cdiv(M, 32)], j in 32 x = a.at(i # j, 0);",
        "foreach i in [cdiv(M, 32)], j in 32 if (i # j < M) x = a.at(i # j, 0);",
        "foreach i in [M + 1] if (i < M) x = a.at(i, 0);",
        "foreach i in [4] foreach j in [i + 1] x = w.at(i + j, 0);",
        "foreach i in [cdiv(M, 48)] x = a.subspan(48, 64).at(i, 0);",
        "x = a.at(n, 0);",
        "mutable int m = 9; x = w.at(m, 0);",
        'assert(n < 8, "small"); foreach i in n x = w.at(i, 0);',
    ],
)
def test_no_false_alarm(code: str) -> None:
    assert [rule for rule, _ in host(code).told] == []


@pytest.mark.parametrize(
    ("code", "place", "greatest", "extent"),
    [
        ("foreach i in [9] x = w.at(i, 0);", "i", "8", "8"),
        ("foreach i in [9] if (i > 3) x = w.at(i, 0);", "i", "8", "8"),
        ("foreach i in [9] if (n > 3) x = w.at(i, 0);", "i", "8", "8"),
        ("foreach i in [9] x = w.at(0, i % 7);", "i % 7", "6", "6"),
        ("foreach i in [9] x = w.at(i / 1, 0);", "i / 1", "8", "8"),
        ("with i in 9 { foreach i(1:) x = w.at(i, 0); }", "i", "8", "8"),
        ("with i in 12 { foreach i(::3) x = w.at(i, 0); }", "i", "9", "8"),
        ("foreach i in 4, j in 3 x = w.at(i # j, 0);", "i # j", "11", "8"),
        ("foreach i in [M + 1] x = a.at(i, 0);", "i", "M", "M"),
        ("foreach i in M x = a.at(i + 1, 0);", "i + 1", "M", "M"),
        ("foreach i in [5] foreach j in [i + 1] x = w.at(i + j, 0);", "i + j", "8", "8"),
        ("foreach i in [9] { j = i; x = w.at(j, 0); }", "j", "8", "8"),
    ],
)
def test_a_proven_violation_names_the_greatest_value(code: str, place: str, greatest: str, extent: str) -> None:
    (finding,) = host(code).findings
    assert (finding.rule, finding.args["greatest"], finding.args["extent"]) == (OUT, greatest, extent)
    assert host(code).told == [(OUT, place)]


def test_the_condition_of_a_region_narrows() -> None:
    region = "parallel g by 4 : group-4 {{ inthreads.async ({}) {{ x = w.subspan(3, 6).at(g, 0); }} }}"
    good = host("parallel p by 2 : block { " + region.format("g < 3") + " }")
    bad = host("parallel p by 2 : block { " + region.format("g > 0") + " }")
    assert good.told == []
    assert bad.told == [(OUT, "g")]


def test_a_negative_index_is_found_from_below() -> None:
    case = device("foreach i in 4 x = w.at(i - 1, 0);")
    assert case.told == [(OUT, "i - 1")]
    assert case.findings[0].args["least"] == "-1"


def test_a_long_condition_is_followed_to_its_end() -> None:
    """Five thousand parts, of which the last one bounds the index."""
    others = " && ".join(f"n != {number}" for number in range(5000))
    ways = " || ".join(f"n == {number}" for number in range(5000))
    for held in (f"{others} && i < 8", f"!({ways} || i >= 8)"):
        assert host(f"foreach i in [9] if ({held}) x = w.at(i, 0);").told == []
    assert host(f"foreach i in [9] if ({others}) x = w.at(i, 0);").told == [(OUT, "i")]


def test_a_long_assertion_is_judged_to_its_end() -> None:
    others = " && ".join(f"n != {number}" for number in range(5000))
    ways = " || ".join("1 > 2" for _ in range(5000))
    assert host(f'assert({others}, "m");').told == []
    for never in (f"{others} && 1 > 2", ways):
        assert [rule for rule, _ in host(f'assert({never}, "m");').told] == ["failed-assertion"]
    assert host(f'assert({ways} || 2 > 1, "m");').told == []
