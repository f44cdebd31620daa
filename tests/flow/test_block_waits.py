"""A warp or warpgroup that waits for what all threads of the block copy (reference, 5.3): each thread has waited for
its own part, so that the block meets behind the wait, and in front of the next copy."""

from __future__ import annotations

import pytest

from croqc.flow.joins import block_waits
from tests.flow.kernels import body, paths
from tests.flow.pipes import check

WHOLE = "f = dma.copy.async src.subspan(16, 64).at(0, k) => buf[{slot}]; "
READS = "dma.copy buf[{slot}].subspan(8, 64).at({row}, 0) => dst.subspan(8, 64).at(w, k); "
LOOP = "parallel w by 2 : group {{ foreach {{k}} in [K / 64] {{ {} }} }}"


def _rules(text: str) -> list[str]:
    head = "__co__ void f(global f16 [M, K] src, global f16 [M, K] dst) { parallel b by 8 : block {"
    report = check(f"{head} shared f16 [16, 64] buf[2]; {text} }} }}")
    return [report.flow.reason] if report.flow.strength.value == "unknown" else report.rules


def _waits(text: str) -> int:
    model = body(text)
    return len(block_waits(model, model.kernels[-1], paths(model)))


@pytest.mark.parametrize("slot", ["0", "k % 2"])
def test_the_other_half_is_there_behind_the_wait(slot: str) -> None:
    other = READS.format(slot=slot, row="1 - w")
    assert _rules(LOOP.format(WHOLE.format(slot=slot) + "wait f; " + other)) == []
    assert _rules(LOOP.format(WHOLE.format(slot=slot) + other + "wait f; ")) == ["future-not-waited"]


def test_copies_of_units_and_waits_in_regions_are_their_own() -> None:
    whole, own = (
        WHOLE.format(slot=0),
        "f = dma.copy.async src.subspan(8, 64).at(w, k) => buf[0].subspan(8, 64).at(w, 0); ",
    )
    assert _waits(LOOP.format(whole + "wait f;")) == 1
    assert _waits(LOOP.format(own + "wait f;")) == 0
    assert _waits(LOOP.format(whole.replace("dma", "tma") + "wait f;")) == 0  # an mbarrier tells every waiter
    assert _waits(whole.replace("k)", "0)") + "wait f; parallel w by 2 : group {}") == 0  # of the block itself
    assert _waits(LOOP.format(whole + "inthreads.async (w == 0) { wait f; }")) == 0


def test_a_future_that_is_exchanged_with_one_of_the_block_counts() -> None:
    other = "g = dma.any; swap(f, g); wait g;"
    assert _waits(LOOP.format(WHOLE.format(slot=0) + other)) == 1
    assert _waits(LOOP.format(WHOLE.format(slot=0) + "h = f; wait h;")) == 1


def test_a_copy_of_the_block_is_not_followed_into_its_paths() -> None:
    copy = WHOLE.format(slot=0).replace("k)", "0)")
    reason = "'f', a copy of the block, is not followed into its paths"
    told = f"{reason}: wait for it in front of them, and use its buffer by name"
    for use in ("wait f;", "dma.copy f.data.subspan(8, 64).at(w, 0) => dst.subspan(8, 64).at(w, 0);"):
        assert _rules(f"{copy} parallel w by 2 : group {{ {use} }}") == [told]
    assert (
        _rules(f"{copy} wait f; parallel w by 2 : group {{ {READS.format(slot=0, row='w').replace('k)', '0)')} }}")
        == []
    )
