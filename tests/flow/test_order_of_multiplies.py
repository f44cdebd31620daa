"""Multiplies end in the order of their issue: what a wait or a commit ends, and what it leaves (reference, 6.6)."""

from __future__ import annotations

import pytest

from tests.flow.pipes import check

F = "f = mma.row.row.async acc, as[k % 3], bs[k % 3];"
G = "g = mma.row.row.async acc, as[k % 3], bs[k % 3];"
PLAIN = "mma.row.row acc, as[k % 3], bs[k % 3];"
LOADED = "a = mma.load as[k % 3]; mma.row.row acc, a, bs[k % 3];"
FREE = "trigger empty.at(k);"


def kernel(turn: str, end: str = "mma.store acc, dst.subspan(64, 16).at(bm, bn);") -> str:
    return f"""__co__ void k(global f16 [M, K] lhs, global f16 [N, K] rhs, global f32 [M, N] dst) {{
  parallel {{bm, bn}} by [cdiv(M, 64), cdiv(N, 16)] : block {{
    shared event full[3], empty[3] = ready;
    shared f16 [64, 16] as[3];
    shared f16 [16, 16] bs[3];
    parallel p by 2 : group-4 {{
      inthreads.async (p == 0) {{
        foreach k in [cdiv(K, 16)] {{
          wait empty.at(k);
          fa = tma.load.async lhs.subspan(64, 16).at(bm, k) => as[k % 3];
          fb = tma.load.async rhs.subspan(16, 16).at(bn, k) => bs[k % 3];
          trigger full.at(k) after fa, fb;
        }}
      }}
      inthreads.async (p == 1) {{
        acc = mma.fill.f32 0.0f;
        foreach k in [cdiv(K, 16)] {{ wait full.at(k); {turn} }}
        {end}
      }}
    }}
  }}
}}
"""


@pytest.mark.parametrize(
    "turn",
    [
        f"{F} {G} wait g; {FREE} wait f;",
        f"{F} {G} wait f; wait g; {FREE}",
        f"{F} mma.commit; {FREE} wait f;",
        f"{LOADED} {G} wait g; {FREE}",
        f"{LOADED} {G} mma.commit; {FREE} wait g;",
        f"{F} {PLAIN} {G} wait g; {FREE} wait f;",
    ],
)
def test_a_wait_for_a_younger_one_ends_the_older(turn: str) -> None:
    verdict = check(kernel(turn))
    assert (verdict.strength, verdict.places) == ("proved", [])


@pytest.mark.parametrize(
    "turn",
    [
        f"{F} {G} wait f; {FREE} wait g;",  # the younger one still reads
        f"{F} mma.commit; {G} wait f; {FREE} wait g;",
        f"mma.commit; {F} {FREE} wait f;",
        f"{F} wait f; {LOADED} {FREE} mma.commit;",
        f"{G} {LOADED} wait g; {FREE} mma.commit;",
    ],
)
def test_a_younger_one_goes_on(turn: str) -> None:
    assert check(kernel(turn)).places == [("uncommitted-release", FREE)]


def test_a_commit_updates_the_accumulator_of_one_with_a_future() -> None:
    store = "mma.store acc, dst.subspan(64, 16).at(bm, bn);"
    turn = f"{F} {{}} {store} {FREE} wait f;"
    assert check(kernel(turn.format("mma.commit;"), "")).strength == "proved"
    assert check(kernel(turn.format(""), "")).rules == ["future-not-waited"]


def test_what_a_commit_has_ended_is_still_waited_for_once() -> None:
    assert check(kernel(f"{F} mma.commit; {FREE}")).rules == ["future-not-waited"]
