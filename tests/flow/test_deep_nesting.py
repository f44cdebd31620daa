"""What is nested deeper than is read is never judged: statements that nobody has read would be missing."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_no_false_proof import KERNEL, flow_of


def nested(depth: int, statement: str = "wait full.at(k);") -> str:
    """The kernel with a wait, or another statement, inside conditions that always hold: it is right at any depth."""
    inside = "if (k >= 0) { " * depth + statement + " }" * depth
    return KERNEL.format(guard="").replace(statement, inside)


@pytest.mark.parametrize("depth", [0, 2, 20])
def test_what_is_read_is_proved(depth: int) -> None:
    assert flow_of(nested(depth)).strength is Strength.PROVED


@pytest.mark.parametrize("depth", [*range(20, 48), 60, 100, 400])
@pytest.mark.parametrize("statement", ["wait full.at(k);", "trigger empty.at(k);"])
def test_a_right_ring_is_never_accused(depth: int, statement: str) -> None:
    flow = flow_of(nested(depth, statement))
    assert flow.findings == ()
    assert flow.strength in (Strength.PROVED, Strength.UNKNOWN)


def test_it_says_so_and_where() -> None:
    text = nested(60)
    flow = flow_of(text)
    assert flow.strength is Strength.UNKNOWN
    assert "nested too deeply" in flow.reason
    assert flow.place is not None
    around = text[: flow.place.start].count("if (k >= 0)")
    assert 20 < around <= 60  # the first place that is too deep: 20 levels are read, 60 are not


@pytest.mark.parametrize("depth", [5, 30, 39, 60, 100])
def test_a_fault_deep_inside_is_not_proved(depth: int) -> None:
    """The copy out of the ring in front of its wait; and through an expression of that depth."""
    early = nested(depth, "dma.copy a_s[k % 2] => b.subspan(64, 64).at(g, k);").replace("wait full.at(k);", "")
    assert flow_of(early).strength in (Strength.FAILS, Strength.UNKNOWN)
    index = "(" * depth + "k" + " + 0)" * depth
    wrong = KERNEL.format(guard="").replace("dma.copy a_s[k % 2]", f"dma.copy a_s[({index} + 1) % 2]")
    assert flow_of(wrong).strength in (Strength.FAILS, Strength.UNKNOWN)


@pytest.mark.parametrize(("count", "strength"), [(20, Strength.FAILS), (90, Strength.UNKNOWN)])
def test_names_that_follow_from_many_names_are_no_data(count: int, strength: Strength) -> None:
    """Each name is the opposite of the one before. The producer waits in turns beyond the eighth alone, which is wrong
    as far as it is followed; what is not followed is told as what it is."""
    chain = "".join(f"bool a{number} = !a{number - 1}; " for number in range(1, count + 1))
    guard = f"bool a0 = k > 7; {chain} if (a{count}) {{ wait empty.at(k); }}"
    flow = flow_of(KERNEL.format(guard="").replace("wait empty.at(k);", guard))
    assert flow.strength is strength
    if strength is Strength.UNKNOWN:
        assert flow.reason == "this is nested too deeply; fewer levels can be analysed"
        assert flow.place is not None
