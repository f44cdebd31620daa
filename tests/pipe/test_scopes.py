"""Whether arrivals and waits over a cluster order ordinary memory: only where blocks may see each other's."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from tests.pipe.lowering import TEXTS, after, only

HALVES = (TEXTS / "cluster.co").read_text(encoding="utf-8")
SIZES = {"M": 256, "N": 128, "K": 256}
STORE = "mma.store acc, output.subspan(64, 64).at(i * 2 + c, j);"


def orders(text: str) -> set[bool]:
    """Whether arrivals on `empty`, which go to all blocks, and waits for it order memory."""
    kernel = after("scopes", text, SIZES)
    arrivals = {not each.signals for each in only(kernel, ir.Arrive) if each.slot.event == "empty"}
    return arrivals | {each.cluster for each in only(kernel, ir.Wait) if each.slot.event == "empty"}


def test_blocks_that_share_nothing_order_nothing() -> None:
    """Multiplies read what copies to all blocks bring; the result is written and never read."""
    assert orders(HALVES) == {False}


def test_own_arrivals_are_as_they_were() -> None:
    kernel = after("scopes", HALVES, SIZES)
    assert {each.signals for each in only(kernel, ir.Arrive) if not each.cluster} == {False}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(STORE, f"{STORE} print(output.at(0, 0));", id="a result that is read"),
        pytest.param(STORE, f"{STORE} output.at(0, 0) = 1.0f;", id="a result that elements are written of"),
        pytest.param(STORE, f"{STORE} __atomic_add(output.at(0, 0), 1.0f);", id="an atomic"),
        pytest.param(STORE, f"{STORE} print(b[0].at(0, 0));", id="what comes from other blocks, read by elements"),
        pytest.param(STORE, f'{STORE} __cpp__("__threadfence();");', id="foreign code"),
    ],
)
def test_blocks_that_may_share_memory_order_it(old: str, new: str) -> None:
    assert old in HALVES
    assert orders(HALVES.replace(old, new)) == {True}
