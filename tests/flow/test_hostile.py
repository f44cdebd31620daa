"""Large kernels end within the budget: what the effort counts, and how far the verdict then reaches. No times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from croqc.flow import state, verifier
from croqc.flow.analysis import CHECK_BUDGET, TYPING_BUDGET, analyze_flow
from croqc.flow.machine import Machine
from croqc.flow.program import Loop, Op
from croqc.flow.report import KernelFlow
from croqc.flow.signature import Signature
from croqc.flow.state import EventSlot, PathState
from croqc.service.check import check_text
from tests.flow.hostile import HOSTILE, chain, many_functions, many_paths, many_readers, nested_loops, whole_ring
from tests.flow.pipes import check, ring

PROVED = {
    "1000 events", "2^60 turns", "32 paths", "300 copies a stage", "persistent chain of five roles",
    "persistent chain of five roles, counted", "six sizes at once", "ten sizes at once",
}  # fmt: skip
STEPS = f"for the first {TYPING_BUDGET:,} steps"
TRIED = {
    "500 rings of two": "for K up to ",
    "20,000 events": STEPS,
    "ring of 10,000 slots": "for K up to ",
    "ten nested loops of 1000": STEPS,
    "ten nested loops of 2^60": STEPS,
    "ten nested loops of n": "for n up to ",
    "ten nested loops of ten sizes": "at ",
    "ten rings of ten sizes": "at ",
    "all slots of 2000 at once": "for K up to ",
    "31 paths read in 200 places": STEPS,
    "order modulo 6N": "at ",
    "order modulo 60N": "at ",
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
@pytest.mark.parametrize("name", sorted(TRIED))
def test_how_far_a_verdict_within_the_budget_reaches(name: str, spent: Spent) -> None:
    verdict = check(HOSTILE[name]())
    assert (verdict.strength, verdict.places) == ("checked", [])
    assert verdict.flow.tried.startswith(TRIED[name])
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


def test_more_paths_than_a_block_has_room_for_are_no_verdict(spent: Spent) -> None:
    """64 warps are 2048 threads: what is wrong there is said elsewhere, and nothing is run."""
    verdict = check(many_paths(64))
    assert (verdict.strength, verdict.places) == ("unknown", [])
    assert spent.steps <= UNDER


@pytest.mark.slow
def test_each_of_five_hundred_functions_has_a_budget_of_its_own(spent: Spent) -> None:
    """All are proved, though together they take more than one budget, and each as much as the only one of a file."""
    (alone,) = flows(many_functions(1))
    together = flows(many_functions(500))
    assert {flow.strength.value for flow in together} == {"proved"}
    assert [flow.spent for flow in together] == [alone.spent] * 500
    assert alone.spent * 500 > TYPING_BUDGET


def flows(text: str) -> list[KernelFlow]:
    """The verdicts on all kernels of a file, with the budget of typing."""
    analyses = [function.analysis for function in check_text(text).functions]
    return [flow for each in analyses if each is not None for flow in analyze_flow(each.model, TYPING_BUDGET)]


def test_a_step_costs_what_it_takes() -> None:
    """Of two rings gone round equally often, the one with more loops around its accesses, the one whose slots are all
    met for the first time and the one that waits for many slots at once cost more."""

    def cost(text: str) -> int:
        return flows(text)[0].spent

    assert cost(nested_loops(["1"] * 9 + ["20"])) > cost(nested_loops(["20"])) + 2 * 20
    assert cost(ring(400, turns="[40]")) > cost(ring(4, turns="[40]")) + 3 * 400
    assert cost(whole_ring(64)) > 8 * cost(whole_ring(4))


def test_the_trail_of_a_path_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a path released long ago is forgotten, so that memory does not grow with the steps; the verdict stays."""
    longest = [0]
    release = PathState.release

    def watched(path: PathState, op: Op, slot: EventSlot | None) -> None:
        release(path, op, slot)
        longest[0] = max(longest[0], len(path.trail))

    monkeypatch.setattr(PathState, "release", watched)
    monkeypatch.setattr(state, "TRAIL", 8)
    assert check(chain(3)).strength == "proved"
    assert longest[0] == 16


def test_reads_that_stay_alive_are_paid_for() -> None:
    """The n-th read of a tile is compared with all before it, so more reads leave fewer turns to a budget."""

    def reach(reads: int) -> int:
        verdict = check(many_readers(reads, 8), TYPING_BUDGET // 4)
        return int(verdict.flow.tried.rsplit(" ", 1)[1]) if verdict.strength == "checked" else 1 << 20

    assert reach(10) > reach(60)
