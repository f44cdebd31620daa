"""Faults in turns that come late: behind a constant of an outer loop, or of a counter of counters."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_counters import PIPE
from tests.flow.test_no_false_proof import flow_of

BEFORE = "mutable int n = 0; mutable int q = 0;"
LOADS = "wait empty[n % S]; dma.copy src.subspan(4, 32).at(b, k) => ring[n % S]; trigger full[n % S]; n += 1;"
USES = "wait full[n % S]; dma.copy ring[n % S] => dst.subspan(4, 32).at(b, k); trigger empty[n % S]; n += 1;"


def nested(outer: str, late: str) -> str:
    head = f"foreach t in [{outer}] {{ foreach k in [cdiv(C, 32)] {{"
    return PIPE.format(load=f"{BEFORE} {head} {LOADS} }} }}", use=f"{BEFORE} {head} {USES} {late} }} }}")


@pytest.mark.parametrize("late", ["t == 4", "t >= 5", "t * 2 == 12"])
def test_a_constant_that_an_outer_index_is_held_against_is_passed(late: str) -> None:
    """One role alone asks: the loop of the other one says no more of how often it runs."""
    (finding,) = flow_of(nested("J", f"if ({late}) {{ n += 1; }}")).findings
    assert finding.rule in ("credit-deadlock", "stage-race")


def test_the_same_in_both_roles_is_right() -> None:
    head = "foreach t in [J] { foreach k in [cdiv(C, 32)] {"
    late = "if (t == 4) { n += 3; }"
    text = PIPE.format(load=f"{BEFORE} {head} {LOADS} {late} }} }}", use=f"{BEFORE} {head} {USES} {late} }} }}")
    flow = flow_of(text)
    assert flow.findings == ()
    assert flow.strength is not Strength.UNKNOWN


def wrapped(late: str, wrap: str = "if (n == S) { n = 0; q += 1; }") -> str:
    head = "foreach k in [cdiv(C, 32)] {"
    load = f"{BEFORE} {head} {LOADS.replace('n % S', 'n')} {wrap} }}"
    use = f"{BEFORE} {head} {USES.replace('n % S', 'n')} {wrap} {late} }}"
    return PIPE.format(load=load, use=use)


@pytest.mark.parametrize("rounds", [2, 6, 20])
def test_a_counter_of_rounds_is_followed_to_its_constant(rounds: int) -> None:
    """`q` moves on in every third turn only."""
    (finding,) = flow_of(wrapped(f"if (q == {rounds}) {{ n = 1; q = 0; }}")).findings
    assert finding.rule == "credit-deadlock"
    assert f"k = {3 * rounds}" in str(finding.args.values())


@pytest.mark.parametrize("late", ["if (q == 6) { q = 0; }", "if (q == 6) { n = 0; q = 0; }"])
def test_counters_that_ask_for_each_other_and_agree_are_proved(late: str) -> None:
    flow = flow_of(wrapped(late))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())
