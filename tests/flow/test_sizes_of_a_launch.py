"""Sizes with which a kernel is never launched: neither reported, nor needed for a proof."""

from __future__ import annotations

import pytest

from tests.flow.pipes import Verdict, check

DOUBLE = """shared f32 [1, 64] s[2]; f0 = tma.any; f1 = tma.any; {first} foreach {{k}} in [{turns}] {{
  if (k + 1 < {turns}) {{ f1 = tma.copy.async a.subspan(1, 64).at(g, k + 1) => s[(k + 1) % 2]; }}
  wait f0; dma.copy f0.data => b.subspan(1, 64).at(g, k); swap(f0, f1); }}"""
FIRST = "f0 = tma.copy.async a.subspan(1, 64).at(g, 0) => s[0];"
RING = """shared event full[2], empty[2] = ready; shared f32 [1, 64] s[2];
  parallel p by 2 : group-4 {{
    inthreads.async (p == 0) {{ foreach {{k}} in [{0}] {{
      wait empty[k % 2]; {copy} a.subspan(1, 64).at(g, k) => s[k % 2]; trigger full[k % 2]; }} }}
    inthreads.async (p == 1) {{ foreach {{k}} in [{1}] {{
      wait full[k % 2]; dma.copy s[k % 2] => b.subspan(1, 64).at(g, k); trigger empty[k % 2]; }} }} }}"""


def kernel(body: str, before: str = "", behind: str = "", grid: str = "M") -> Verdict:
    head = "__co__ void f(global f32 [M, K] a, global f32 [M, K] b, int n) {\n"
    return check(f"{head} {before} parallel g by {grid} : block {{ {body} }} {behind} }}\n")


def ring(given: str, taken: str, before: str = "", behind: str = "", copy: str = "dma.copy") -> Verdict:
    return kernel(RING.format(given, taken, copy=copy), before, behind)


LAUNCHES = {
    "an if": ("if (n > 0) {", "}"),
    "the other branch": ("if (n == 0) { } else {", "}"),
    "an early return": ("if (n <= 0) { return; }", ""),
    "both of two conditions": ("if (n > 0 && K >= n) {", "}"),
    "one of two that return": ("if (n < 1 || K < n) { return; }", ""),
    "a named condition": ("some = n > 0; if (some) {", "}"),
    "an assertion on the way": ('if (K > 4) { assert(n > 0, "tiles");', "}"),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_the_host_launches_under_conditions(name: str) -> None:
    before, behind = LAUNCHES[name]
    verdict = kernel(DOUBLE.format(first=FIRST, turns="n"), before, behind)
    assert (verdict.places, verdict.strength) == ([], "proved")


ELSEWHERE = {
    "another branch": ('if (K > 4) { assert(K % 64 == 0, "tiles"); }', ""),
    "the branch not taken": ('if (K > 4) { assert(K % 64 == 0, "tiles"); } else {', "}"),
    "a branch behind": ("", 'if (K > 4) { assert(K % 64 == 0, "tiles"); }'),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_an_assertion_on_another_way_says_nothing(name: str) -> None:
    before, behind = ELSEWHERE[name]
    assert ring("cdiv(K, 64)", "K / 64", before, behind).rules == ["trip-count-mismatch"]
    assert ring("cdiv(K, 64)", "K / 64", 'assert(K % 64 == 0, "tiles");').places == []


def shown(verdict: Verdict) -> int:
    return verdict.seen[0].finding.sizes["K"]


def test_the_smallest_size_that_a_tensor_map_allows_is_named() -> None:
    """Rows of 4 bytes an element: 16 bytes are 4 elements, so 68 is the first legal size behind one whole tile."""
    assert shown(ring("cdiv(K, 64)", "K / 64")) == 65
    assert shown(ring("cdiv(K, 64)", "K / 64", copy="tma.copy")) == 68
    least = 'assert(K >= 1000, "long"); assert(K % 8 == 0, "whole");'
    assert shown(ring("cdiv(K, 64)", "K / 64", least, copy="tma.copy")) == 1000  # 15 tiles and 40 elements


@pytest.mark.parametrize(
    "asked", ["K >= 4096", "K == 4096", "K > 1000 && K < 4000", "M > 0", "n <= M", "K % 384 == 0", "K * 2 % 96 == 0"]
)
def test_sizes_that_are_asked_for_are_tried(asked: str) -> None:
    verdict = ring("cdiv(K, 64)", "cdiv(K, 64)", f'assert({asked}, "sizes");', copy="tma.copy")
    assert (verdict.places, verdict.strength) == ([], "proved")
    assert ring("n", "n", f'assert({asked}, "sizes");').strength == "proved"


def test_a_size_that_only_an_assertion_names_is_large_enough() -> None:
    asked = 'assert(n <= K / 64, "tiles");'
    assert ring("n", "n", asked).strength == "proved"
    verdict = ring("n", "n - n % 2", asked)
    assert verdict.rules == ["trip-count-mismatch"]
    sizes = verdict.seen[0].finding.sizes
    assert 0 < sizes["n"] <= sizes["K"] // 64


def test_a_transfer_left_over_where_a_loop_makes_no_turn() -> None:
    """The copy in front of the loop is waited for in its first turn: that there is one is what the kernel takes for
    granted, and the verdict says so."""
    verdict = kernel(DOUBLE.format(first=FIRST, turns="K / 64"))
    assert (verdict.places, verdict.strength) == ([], "checked")
    assert verdict.flow.reason.startswith("where a loop makes no turn a transfer is never waited for")
    text = DOUBLE.format(first=FIRST, turns="K / 64").replace("wait f0; dma.copy f0.data => b", "dma.copy s[0] => b")
    unwaited = kernel(text.replace("swap(f0, f1);", ""))
    assert unwaited.rules == ["future-not-waited"]
    assert shown(unwaited) >= 64


STRAY = """shared event full[2], empty[2] = ready; shared f32 [1, 64] s[2]; {block}
  parallel p by 2 : group-4 {{
    inthreads.async (p == 0) {{ {role} foreach {{k}} in [cdiv(K, 64)] {{ {loop} if (n == 3) {{ trigger full[0]; }}
      wait empty[k % 2]; dma.copy a.subspan(1, 64).at(g, k) => s[k % 2]; trigger full[k % 2]; }} }}
    inthreads.async (p == 1) {{ foreach {{k}} in [cdiv(K, 64)] {{
      wait full[k % 2]; dma.copy s[k % 2] => b.subspan(1, 64).at(g, k); trigger empty[k % 2]; }} }} }} {behind}"""
PLACES = ("block", "role", "loop", "behind")


def stray(**said: str) -> Verdict:
    return kernel(STRAY.format(**dict.fromkeys(PLACES, "") | said))


@pytest.mark.parametrize("place", PLACES)
def test_an_assertion_in_the_kernel_is_checked_at_entry_wherever_it_stands(place: str) -> None:
    assert stray().seen[0].finding.sizes["n"] == 3
    for asked in ('assert(n != 3, "n");', 'bool other = n != 3; assert(K > 0 && other, "n");'):
        verdict = stray(**{place: asked})
        assert (verdict.places, verdict.strength) == ([], "proved"), asked


@pytest.mark.parametrize(
    "said",
    [
        'if (K > 64) { assert(n != 3, "n"); }',
        'if (K > 64) { } else { assert(n != 3, "n"); }',
        'mutable int i = 0; while (i < K / 64) { assert(n != 3, "n"); i += 1; }',
        'assert(n != 3 || a.at(0, 0) > 0.0f, "n");',
        'mutable int m = n; m = 4; assert(m != 3, "m");',
    ],
)
def test_an_assertion_that_may_not_be_come_to_or_speaks_of_data_excludes_nothing(said: str) -> None:
    assert stray(block=said).seen[0].finding.sizes["n"] == 3


def test_what_the_kernel_asserts_beside_a_size_leaves_the_others() -> None:
    """n = 2 alone is excluded: 3 is named still."""
    assert stray(block='assert(n != 2, "n");').seen[0].finding.sizes["n"] == 3
