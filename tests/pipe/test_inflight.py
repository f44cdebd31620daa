"""One group of multiplies kept in flight, where the ring's other side goes through it likewise."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from tests.pipe.lowering import EXAMPLES, after, only

CLASSIC = (EXAMPLES / "pipeline_classic.co").read_text(encoding="utf-8")
SIZES = {"M": 128, "N": 128, "K": 512}


def kept(text: str) -> list[int]:
    """How many groups each end of multiplies leaves in flight."""
    return [stmt.keep for stmt in only(after("inflight", text, SIZES), ir.Commit)]


def test_the_consumer_keeps_a_group() -> None:
    assert kept(CLASSIC) == [1, 0]


@pytest.mark.parametrize(
    "slot",
    [
        pytest.param("0", id="the first slot alone"),
        pytest.param("k % (STAGES - 1)", id="another modulus"),
        pytest.param("(k + 1) % STAGES", id="a slot ahead"),
    ],
)
def test_a_loader_that_goes_through_the_ring_otherwise_gets_its_slots_at_once(slot: str) -> None:
    """Such a kernel hangs: it must stand where the text says."""
    changed = CLASSIC.replace("stage = k % STAGES;", f"stage = {slot};", 1)
    assert changed != CLASSIC
    assert kept(changed) == [0]
