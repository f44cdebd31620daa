"""What is said of the sizes that a verdict was checked at claims no more than what was run, and says why no more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import KernelFlow, Strength
from croqc.flow.tables import verdict_text
from tests.flow.hostile import HOSTILE
from tests.flow.pipes import check, ring
from tests.flow.test_no_false_proof import KERNEL, flow_of
from tests.flow.test_settled_sizes import PLAIN, produced


def guarded(guard: str) -> KernelFlow:
    """Producer and consumer both skip their turns where `guard` does not hold."""
    text = PLAIN.replace("wait empty", f"if ({guard}) {{ wait empty").replace(
        "trigger full.at(k);", "trigger full.at(k); }"
    )
    text = text.replace("wait full", f"if ({guard}) {{ wait full").replace(
        "trigger empty.at(k);", "trigger empty.at(k); }"
    )
    return flow_of(text)


def test_each_size_up_to_one_is_said_where_none_is_left_out() -> None:
    """A ring of two takes up to 3 * 2 + 2 turns of 64 columns and the two rests behind them; what the condition on K
    turns to at 200 is tried, too."""
    flow = guarded("K > 200")
    assert flow.strength is Strength.CHECKED
    assert flow.tried.startswith("for K up to ")
    assert flow.reason == "a condition on 'K' decides here; it may turn at sizes that were not tried"


def test_sizes_with_gaps_are_counted() -> None:
    """K = 449 and others that no step can tell from a smaller one are not run; K % 640 == 7 is another way each."""
    flow = guarded("K % 6400 != 7")
    assert flow.strength is Strength.CHECKED
    words = flow.tried.split()
    assert words[0] == "at" and words[2:5] == ["sizes", "of", "K,"]
    assert int(words[1]) < int(words[-1])


def test_a_rest_that_a_condition_names_is_run_with_few_and_many_turns() -> None:
    """At K = 7 the one tile of the producer is never taken; the ring of two hides that, a third tile does not."""
    text = PLAIN.replace("trigger empty.at(k);", "if (K % 1000 != 7) { trigger empty.at(k); }")
    flow = flow_of(text)
    assert [found.rule for found in flow.findings] == ["credit-deadlock"]
    sizes = flow.findings[0].sizes["K"]
    assert sizes % 1000 == 7 and sizes > 128


@pytest.mark.parametrize(
    ("guard", "rest"),
    [
        ("if (J % 1000 != 7)", lambda j: j % 1000 == 7),
        ("if ((J & 255) != 9)", lambda j: j & 255 == 9),
        ("if (J * 3 != 21)", lambda j: j == 7),
        ("if (J + 5 != 30007)", lambda j: j == 30002),
        ("if (J % 8 != 3 || J % 5 != 2)", lambda j: j % 40 == 27),
        ("if (J / 3000 != 1)", lambda j: 3000 <= j < 6000),
    ],
)
def test_conditions_on_one_size_are_met_from_both_sides(guard: str, rest: Callable[[int], bool]) -> None:
    """The one value at which nothing is published: among those that are tried, as the numbers say."""
    flow = flow_of(KERNEL.format(guard=guard))
    assert [found.rule for found in flow.findings] == ["credit-deadlock"]
    assert rest(flow.findings[0].sizes["J"])


@pytest.mark.parametrize("turns", ["cdiv(K, 64) + K / 5000", "cdiv(K, 64) + K % 6400 / 6399"])
def test_turns_that_part_for_large_sizes_are_found_where_few_values_do_it(turns: str) -> None:
    flow = flow_of(produced(turns))
    assert [found.rule for found in flow.findings] == ["trip-count-mismatch"]


def test_few_sizes_are_named() -> None:
    small = check(ring(3), budget=100)
    assert (small.strength, small.flow.tried) == ("checked", "for K up to 1")
    assert verdict_text(small.flow) == (
        "credit flow checked for K up to 1; not proved: the run at K = 65 spent the budget of 100 steps"
    )


def test_several_sizes_are_combinations() -> None:
    flow = guarded("J != K")
    assert (flow.strength, flow.reason) == (
        Strength.CHECKED, "a condition on 'K' and 'J' decides here; it may turn at sizes that were not tried"
    )  # fmt: skip
    assert flow.tried.startswith("at ") and "combinations of K and J, the largest K = " in flow.tried


def test_without_sizes_the_first_steps_are_all_there_is_to_say() -> None:
    flow = check(HOSTILE["ten nested loops of 1000"]()).flow
    assert (flow.tried, flow.reason) == (
        f"for the first {TYPING_BUDGET:,} steps", f"the run took more than {TYPING_BUDGET:,} steps"
    )  # fmt: skip


@pytest.mark.parametrize("name", sorted(HOSTILE))
@pytest.mark.slow
def test_whatever_is_not_proved_says_why(name: str) -> None:
    flow = check(HOSTILE[name]()).flow
    assert flow.strength is Strength.PROVED or flow.reason or flow.findings


REASONS = {
    "k < cdiv(K, 64) - K / 5000": "in how many of its last turns 'k' meets this condition follows the sizes",
    "k < J": "in how many of its last turns 'k' meets this condition follows the sizes",
    "K > 64": "a condition on 'K' decides here; it may turn at sizes that were not tried",
}


@pytest.mark.parametrize("guard", REASONS)
def test_the_reason_names_what_decides_and_its_place(guard: str) -> None:
    flow = guarded(guard)
    assert (flow.strength, flow.reason) == (Strength.CHECKED, REASONS[guard])
    assert flow.place is not None


def test_a_value_that_was_not_tried_is_named() -> None:
    """Both sides take the slots in another order from K = 30,000 on, which is right."""
    flow = flow_of(PLAIN.replace("a_s[k % 2]", "a_s[(k + K / 30000) % 2]"))
    assert flow.strength is Strength.CHECKED
    assert flow.reason.endswith("may come out otherwise than what was tried")


def test_one_instance_that_was_run_whole_is_proved() -> None:
    """No size decides anything: what was run is all there is, whether its slots come again or not."""
    assert flow_of(PLAIN.replace("cdiv(K, 64)", "2").replace("a_s[k % 2]", "a_s[k]")).strength is Strength.PROVED
