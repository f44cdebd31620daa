"""Large kernels end within the budget: what the effort counts, and how far the verdict then reaches. No times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from croqc.flow import verifier
from croqc.flow.analysis import CHECK_BUDGET, TYPING_BUDGET
from croqc.flow.machine import Machine
from croqc.flow.program import Loop
from croqc.flow.signature import Signature
from tests.flow.hostile import HOSTILE, chain, many_paths, many_readers, nested_loops, whole_ring
from tests.flow.pipes import check

PROVED = {
    "1000 events", "2^60 turns", "32 paths", "300 copies a stage", "persistent chain of five roles",
    "persistent chain of five roles, counted", "six sizes at once", "ten sizes at once",
}  # fmt: skip
STEPS = f"the first {TYPING_BUDGET:,} steps"
UP_TO = {
    "ring of 10,000 slots": "K up to ",
    "ten nested loops of 1000": STEPS,
    "ten nested loops of 2^60": STEPS,
    "ten nested loops of n": "n up to ",
    "ten nested loops of ten sizes": "n0 up to 3, n1 up to 3, ",
    "ten rings of ten sizes": "n0 up to 161, n1 up to 161, ",
    "all slots of 2000 at once": "K up to ",
    "31 paths read in 200 places": STEPS,
    "order modulo 6N": "M up to ",
    "order modulo 60N": "M up to ",
}
UNDER = verifier._EXAMPLE + 5_000  # the run to explain with, and the last step of each run that was cut off


class Spent:
    """All effort of one verdict: `steps` of the runs, `nodes` evaluated to tell instances apart, `seen` accesses."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = self.nodes = 0
        run, of = Machine.run, Signature.of

        def counted(machine: Machine) -> Machine:
            try:
                return run(machine)
            finally:
                self.steps += machine.steps

        def asked(signature: Signature, sizes: Mapping[int, int], turns: Mapping[Loop, int]) -> Any:
            self.nodes += signature.nodes(turns)
            return of(signature, sizes, turns)

        monkeypatch.setattr(Machine, "run", counted)
        monkeypatch.setattr(Signature, "of", asked)


@pytest.fixture
def spent(monkeypatch: pytest.MonkeyPatch) -> Spent:
    return Spent(monkeypatch)


@pytest.mark.parametrize("name", sorted(PROVED))
def test_what_is_large_and_proved_all_the_same(name: str, spent: Spent) -> None:
    assert check(HOSTILE[name]()).strength == "proved"
    assert spent.steps <= TYPING_BUDGET + UNDER


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(UP_TO))
def test_how_far_a_verdict_within_the_budget_reaches(name: str, spent: Spent) -> None:
    verdict = check(HOSTILE[name]())
    assert (verdict.strength, verdict.places) == ("checked", [])
    assert verdict.flow.up_to.startswith(UP_TO[name])
    assert spent.steps <= TYPING_BUDGET + UNDER


@pytest.mark.parametrize("name", ["400 conditions on six sizes", "ten nested loops of ten sizes"])
def test_choosing_the_instances_draws_on_the_budget(name: str, spent: Spent) -> None:
    """A step pays for sixteen nodes; one evaluation a group is made whatever it costs."""
    verdict = check(HOSTILE[name]())
    assert (verdict.strength, verdict.places) == ("checked", [])
    assert spent.nodes <= 16 * TYPING_BUDGET


@pytest.mark.slow
def test_an_order_modulo_six_rounds_is_proved_by_croq_check(spent: Spent) -> None:
    assert check(HOSTILE["order modulo 6N"](), CHECK_BUDGET).strength == "proved"
    assert spent.steps <= CHECK_BUDGET


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (many_paths().replace("trigger empty[s];", "if (p < 9) { trigger empty[s]; }"), "arrival-count-mismatch"),
        (chain().replace("trigger empty2[order % 4];", ""), "credit-deadlock"),
        (nested_loops(["n"] * 10).replace("trigger empty;", ""), "credit-deadlock"),
        (whole_ring(300).replace("trigger empty;", ""), "credit-deadlock"),
    ],
)  # fmt: skip
def test_trying_out_what_would_have_helped_draws_on_the_budget(text: str, rule: str, spent: Spent) -> None:
    found = check(text)
    assert (found.strength, found.rules) == ("fails", [rule])
    assert spent.steps <= TYPING_BUDGET + 2 * UNDER + 50_000


def test_reads_that_stay_alive_are_paid_for() -> None:
    """The n-th read of a tile is compared with all before it, so more reads leave fewer turns to a budget."""

    def reach(reads: int) -> int:
        verdict = check(many_readers(reads, 8), TYPING_BUDGET // 4)
        return int(verdict.flow.up_to.rsplit(" ", 1)[1]) if verdict.strength == "checked" else 1 << 20

    assert reach(10) > reach(60)
