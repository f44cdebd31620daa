"""Which sizes are tried: the numbers of turns that they give, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from croqc.flow.arrivals import survey
from croqc.flow.instances import Plan, plan
from croqc.flow.likeness import Likeness
from croqc.flow.lower import lower
from croqc.flow.lower_statements import STATEMENTS
from croqc.flow.signature import Signature
from croqc.sema.analyze import analyze
from croqc.sema.model import Context
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS
from tests.flow.kernels import paths
from tests.flow.pipes import HEAD, block, ring


def planned(text: str) -> Plan:
    tree = parse_file(text, {}).functions[-1].tree
    assert tree is not None
    model = analyze(tree, Context(TARGETS["sm_90a"])).model
    kernel, own = model.kernels[-1], paths(model)
    return plan(lower(model, kernel, own, survey(model, kernel, own)[0], STATEMENTS))


def sizes(found: Plan, name: str) -> list[int]:
    var = next(size.var for size in found.sizes if size.name == name)
    return [instance[var] for instance in found.instances]


def test_a_ring_of_three_takes_one_to_eleven_turns() -> None:
    """cdiv(K, 64) of K >= 1: from 1 to 3 * 3 + 2 turns, the smallest K of each."""
    found = planned(ring(3))
    assert found.period == 3
    assert sizes(found, "K") == [1 + 64 * turn for turn in range(11)]


def test_rounding_down_also_takes_no_turn() -> None:
    assert sizes(planned(ring(2, turns="[K / 64]")), "K") == [1, *(64 * turn for turn in range(1, 9))]


def test_two_roundings_are_told_apart() -> None:
    found = planned(ring(2, turns="[K / 64]", taken="[cdiv(K, 64)]"))
    assert {(k // 64, -(-k // 64)) for k in sizes(found, "K")} >= {(0, 1), (1, 1), (1, 2), (2, 2), (7, 8), (8, 8)}


def test_an_order_kept_modulo_fifteen_takes_forty_seven_turns() -> None:
    at = "wait empty.at(k % 15); dma.copy src.subspan(16, 64).at(b, k) => buf[s]; trigger full.at(k);"
    found = planned(ring(3, load=at))
    assert (found.period, len(found.instances)) == (15, 47)


def test_constants_are_passed_by_a_whole_round() -> None:
    found = planned(ring(3, load="if (k == 20) break; wait empty[s]; trigger full[s];"))
    assert max(sizes(found, "K")) >= (20 + 3) * 64


def test_a_guard_of_the_last_turn_comes_out_both_ways() -> None:
    """A ring of one: up to 3 * 1 + 2 turns, the last of them with and without a tile."""
    text = block(
        """shared event full, empty = ready; shared f16 [16, 64] a;
        foreach {ti} in [cdiv(n, 4)] { id = ti * 4 + 3; if (id < n) {
          parallel p by 2 : group-4 {
            inthreads.async (p == 0) { wait empty; dma.copy src.subspan(16, 64).at(b, id) => a; trigger full; }
            inthreads.async (p == 1) { wait full; dma.copy a => dst.subspan(16, 64).at(b, id); trigger empty; } } } }"""
    )
    tried = set(sizes(planned(text), "n"))
    outcomes = {tuple(ti * 4 + 3 < n for ti in range(-(-n // 4))) for n in tried}
    assert outcomes == {(True,) * turns for turns in range(6)} | {(True,) * turns + (False,) for turns in range(5)}


def test_assertions_leave_sizes_out() -> None:
    text = ring(2, turns="[K / 64]").replace("  parallel b", '  assert(K % 64 == 0, "tiles");\n  parallel b', 1)
    assert all(k % 64 == 0 for k in sizes(planned(text), "K"))
    assert HEAD in text


def test_sizes_that_nothing_tells_apart_are_combined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles of M and n are counted by quotients: three sizes around each step of one, of which two are the same."""
    body = ring(2).replace("foreach {k} in", "foreach {t} in [cdiv(M, 128) * cdiv(n, 64)] foreach {k} in")
    looked = 0
    of = Signature.of

    def counted(signature: Signature, *about: Any) -> Any:
        nonlocal looked
        looked += 1
        return of(signature, *about)

    monkeypatch.setattr(Signature, "of", counted)
    found, alike = planned(body).instances, looked
    monkeypatch.setattr(Likeness, "of", lambda _, __, values: list(values))
    looked = 0
    assert planned(body).instances == found
    assert alike < looked / 2
