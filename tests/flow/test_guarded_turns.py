"""How often a loop acts depends on a size, on the block, or on an outer index: every number of turns is tried.

Without its wait for `empty`, a producer over two slots first races in the third turn.
"""

from __future__ import annotations

import pytest

from tests.flow.pipes import Verdict, block, check

FILL = "dma.copy src.subspan(16, 64).at(b, k) => buf[k % 2]; trigger full[k % 2];"
TAKE = "wait full[k % 2]; dma.copy buf[k % 2] => dst.subspan(16, 64).at(b, k); trigger empty[k % 2];"
TURNS = {
    "a parameter": ("foreach {k} in [cdiv(K, 64)] { if (k < n) {", "} }"),
    "a parameter that ends it": ("foreach {k} in [cdiv(K, 64)] { if (k == n) break;", "}"),
    "multiples": ("foreach {k} in [cdiv(K, 64)] { if (k * 64 < n) {", "} }"),
    "quotients": ("foreach {k} in [cdiv(K, 64)] { if (k < n / 64) {", "} }"),
    "some of a fixed number": ("foreach {k} in [8] { if (k < n) {", "} }"),
    "tiles of a fixed number": ("foreach {k} in [100] { if (k < cdiv(K, 64)) {", "} }"),
    "causal": ("foreach {q} in [n] { foreach {k} in [q + 1] {", "} }"),
    "causal, from the other end": ("foreach {q} in [n] { with k in [n] { foreach k(q:) {", "} } }"),
    "causal by a condition": ("foreach {q} in [n] { foreach {k} in [n] { if (k > q) break;", "} }"),
    "causal over blocks": ("foreach {k} in [b + 1] {", "}"),
}


def guarded(name: str, wait: str = "wait empty[k % 2];", taken: str = "") -> Verdict:
    head, tail = TURNS[name]
    return check(
        block(
            f"""shared event full[2], empty[2] = ready; shared f16 [16, 64] buf[2];
            parallel p by 2 : group-4 {{
              inthreads.async (p == 0) {{ {head} {wait} {FILL} {tail} }}
              inthreads.async (p == 1) {{ {taken or head} {TAKE} {tail} }} }}"""
        )
    )


@pytest.mark.parametrize("name", TURNS)
def test_every_number_of_turns_is_tried(name: str) -> None:
    right = guarded(name)
    assert (right.places, right.strength) == ([], "checked")
    wrong = guarded(name, wait="")
    assert "stage-race" in wrong.rules


def test_outer_turns_go_on_until_inner_ones_have_made_all() -> None:
    late = guarded("causal", taken="foreach {q} in [n] { foreach {k} in [q + 1 - q / 5] {")
    assert late.seen != ()
    assert late.seen[0].finding.sizes["n"] >= 6
