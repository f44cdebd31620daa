"""What blocks of a cluster load for each other: expected by each for itself, where all of them load alike."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from tests.pipe.lowering import TEXTS, after, only

HALVES = (TEXTS / "cluster.co").read_text(encoding="utf-8")
SIZES = {"M": 256, "N": 128, "K": 256}
EVENT = "full[k % 2]"
TRIGGER = f"trigger.cluster {EVENT};"
UNLIKE = [
    pytest.param(EVENT, "full[(k + c) % 2]", id="slots that follow the rank"),
    pytest.param("foreach {k} in [cdiv(K, 64)] {", "foreach {k} in [cdiv(K, 64) - c] {", id="turns that do"),
    pytest.param("wait empty[k % 2];", 'wait empty[k % 2]; print("x\\n");', id="a loader that does more"),
    pytest.param(TRIGGER, f"if (k > c) {{ {TRIGGER} }}", id="arrivals of some blocks"),
]
"""What makes blocks load otherwise than each other, as a text of the loader and what stands in its place."""


def with_loader(old: str, new: str) -> str:
    at, end = HALVES.index("inthreads.async (p == 0)"), HALVES.index("inthreads.async (p == 1)")
    changed = HALVES[:at] + HALVES[at:end].replace(old, new) + HALVES[end:]
    assert changed != HALVES
    return changed


def done(text: str) -> tuple[list[tuple[int, bool]], list[tuple[int, bool]], tuple[int, ...]]:
    """The bytes of each Expect and of each arrival on `full`, with whether they go to all blocks; arrivals a
    generation."""
    kernel = after("mirror", text, SIZES)
    expects = [(each.bytes, each.cluster) for each in only(kernel, ir.Expect)]
    arrivals = [(each.bytes, each.cluster) for each in only(kernel, ir.Arrive) if each.slot.event == "full"]
    return expects, arrivals, next(event.arrivals for event in kernel.events if event.name == "full")


def test_each_block_expects_what_all_send() -> None:
    """64 x 64 halves of the block's own, 32 x 64 from each of two."""
    assert done(HALVES) == ([], [(64 * 64 * 2 + 2 * 32 * 64 * 2, False)], (1, 1))


def test_a_plain_trigger_of_an_event_that_multicasts_land_on_is_for_the_cluster() -> None:
    assert done(with_loader(TRIGGER, f"trigger {EVENT};")) == done(HALVES)


def test_its_waits_are_for_its_own_arrival() -> None:
    waits = only(after("mirror", HALVES, SIZES), ir.Wait)
    assert {(each.slot.event, each.cluster) for each in waits} == {("full", False), ("empty", True)}


@pytest.mark.parametrize(("old", "new"), UNLIKE)
def test_blocks_that_load_otherwise_tell_each_other(old: str, new: str) -> None:
    """Then the bytes are expected, and arrivals made, in every block, as the text says."""
    expects, arrivals, counts = done(with_loader(old, new))
    assert [size for size, cluster in expects if cluster] == [32 * 64 * 2]
    assert [cluster for _, cluster in arrivals] == [True]
    assert counts == (2, 2)
