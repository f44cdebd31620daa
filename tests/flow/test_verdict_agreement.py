"""Verifier and simulator on the same pipelines: what is proved gives the right data under every schedule tried, and
what is stuck hangs. The simulator shares only paths, joins and counts with the verifier."""

from __future__ import annotations

import numpy as np
import pytest

from tests.flow.pipes import check
from tests.flow.test_verdict_examples import RINGS
from tests.flow.test_verdict_faults import SMALL
from tests.sim.kernels import run

SCHEDULES = 4
# These do not copy whole rows.
PARTIAL = {
    "two producers, a slot each",
    "producers in turns, event<1>",
    "epilogue behind the roles",
}
HANGING = [
    "data waited for twice",
    "space waited for twice",
    "a bootstrap behind the first wait",
    "more arrivals than there are",
    "producers in turns without event<1>",
    "a named barrier that waits for more",
]
AMISS = [  # under some schedule
    "a release too many",
    "data published twice",
    "two consumers, one buffer to store from",
    "orders that start again in every tile",
    "only one consumer gives back",
    "ready and a bootstrap",
]


def outcomes(text: str, columns: int) -> set[str]:
    """How the copying pipeline ends: "right", "wrong" or "hangs", over several schedules."""
    found = set()
    for seed in range(SCHEDULES):
        src = np.random.default_rng(seed).standard_normal((16, columns)).astype(np.float16)
        result = run(text, {"src": src, "dst": np.zeros_like(src)}, {"n": 5}, seed=seed)
        assert result.error is None, result.error.message
        right = bool((result.outputs["dst"] == src).all())
        found.add("hangs" if result.hang else "right" if right else "wrong")
    return found


@pytest.mark.parametrize("name", sorted(RINGS.keys() - PARTIAL))
@pytest.mark.parametrize("columns", [64, 320])
def test_what_is_proved_gives_the_right_data(name: str, columns: int) -> None:
    if "whole tiles" not in name and "fixed size" not in name:
        assert outcomes(RINGS[name], columns) == {"right"}
    assert check(RINGS[name]).strength == "proved"


@pytest.mark.parametrize("name", sorted(PARTIAL))
def test_what_is_proved_does_not_hang(name: str) -> None:
    assert "hangs" not in outcomes(RINGS[name], 448)


@pytest.mark.parametrize("name", HANGING)
def test_what_is_stuck_hangs_under_every_schedule(name: str) -> None:
    text = SMALL[name][0]
    assert check(text).strength == "fails"
    assert outcomes(text, 320) == {"hangs"}


@pytest.mark.parametrize("name", AMISS)
def test_what_is_raced_or_overrun_goes_wrong_under_some_schedule(name: str) -> None:
    text = SMALL[name][0]
    assert check(text).strength == "fails"
    assert outcomes(text, 320) - {"right"}
