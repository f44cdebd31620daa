"""Sizes whose rest no index reaches get one note; a size that the function speaks of elsewhere gets none."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text

KERNEL = """__co__ void k(global f32 [N] x, global f32 [%(out)s] y) {
  %(before)s
  parallel b by %(count)s : block, t by 64 : thread {
    %(body)s
    y.at(b * 64 + t) = x.at(b * 64 + t) * 2.0f;
  }
}
"""


def notes(count: str, before: str = "", body: str = "", out: str = "N") -> list[tuple[int, str]]:
    text = KERNEL % {"count": count, "before": before, "body": body, "out": out}
    report = check_text(text)
    return [
        (report.source.position(item.span.start).line + 1, item.message)
        for item in report.diagnostics
        if item.code == "dropped-rest"
    ]


N64 = "covers only multiples of 64 of N: the last N % 64 are left out"


def test_a_launch_of_whole_tiles_leaves_the_rest_out() -> None:
    assert notes("N / 64") == [(3, N64)]


def test_a_number_of_tiles_may_have_a_name() -> None:
    assert notes("tiles", before="int tiles = N / 64;") == [(3, N64)]


def test_a_loop_over_several_of_each_tile_counts_whole_tiles_too() -> None:
    assert notes("1", body="foreach i in N / 64 * 2 { y.at(i * 32 + t % 32) = 1.0f; }") == [(4, N64)]


def test_a_condition_on_the_number_of_tiles_reaches_nothing_more() -> None:
    assert notes("N / 64", body="if (b < N / 64 - 1) { y.at(b * 64 + t) = 0.0f; }") == [(3, N64)]


@pytest.mark.parametrize(
    ("count", "before", "body", "out"),
    [
        ("cdiv(N, 64)", "", "", "N"),
        ("N / 64", 'assert(N % 64 == 0, "whole tiles");', "", "N"),
        ("N / 64", "", "if (b == 0 && t < N % 64) { y.at(N / 64 * 64 + t) = x.at(N / 64 * 64 + t); }", "N"),
        ("N / 64", "", "if (b == 0) { y.at(N - 64 + t) = x.at(N - 64 + t); }", "N"),
        ("N / 64", "", "foreach i in N { y.at(i) = x.at(i); }", "N"),
        ("N / 64", "", "foreach i in x.span { y.at(i) = x.at(i); }", "N"),
        ("N / 64", "dma.copy x => y;", "", "N"),
        ("N / 64", "", "call rest(x, y);", "N"),
        ("N / 64", "", "", "N / 64"),  # one element a tile: what is left over was never meant
        ("4", "", "", "N"),
    ],
)
def test_a_size_that_is_spoken_of_elsewhere_is_left_alone(count: str, before: str, body: str, out: str) -> None:
    assert notes(count, before, body, out) == []


def test_a_size_that_is_no_extent_is_left_alone() -> None:
    body = "parallel t by 64 : thread {\n    foreach i in n / 4 { x.at(t) = 1.0f; }\n  }"
    text = f"__co__ void k(global f32 [64] x, int n) {{\n  {body}\n}}\n"
    assert [item.code for item in check_text(text).diagnostics] == []
