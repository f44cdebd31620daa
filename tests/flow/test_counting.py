"""A `while` that counts is a loop as a `foreach` is: proved where that is, with the reader's own numbers in its story.

What is not surely one is never proved.
"""

from __future__ import annotations

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import KernelFlow, Strength
from tests.flow.test_no_false_proof import flow_of
from tests.flow.three_slots import early, fill, kernel, take

LOAD, EARLY, USE = fill("n % 3", "0, k"), early("n % 3", "0, k"), take("n % 3", "0, k")
TILES = "foreach k in [cdiv(C, 32)] {{ {} n += 1; }}"
LAST = "cdiv(R, 4)"


def role(work: str, head: str, start: str = "b", step: str = "id += 132;", more: str = "") -> str:
    """`work` for each tile, and `more` behind it."""
    start = f"mutable int id = {start}; mutable int n = 0;"
    return f"{start} {head} {{ {TILES.format(work)} {more} {step} }}"


def both(head: str, start: str = "b", step: str = "id += 132;", more: str = "") -> KernelFlow:
    load, use = (role(work, head, start, step, more) for work in (LOAD, USE))
    return flow_of(kernel(load, use, host=f"int tiles = {LAST};"), TYPING_BUDGET)


COUNTING = {
    "to a size from the block": ("while (id < cdiv(R, 4))", "b", "id += 132;"),
    "to a name": ("while (id < tiles)", "b", "id += 132;"),
    "mirrored": ("while (tiles > id)", "b", "id += 132;"),
    "up to the last": ("while (id <= J)", "b", "id += 132;"),
    "as a sum": ("while (id < tiles)", "b", "id = id + 132;"),
    "the other way round": ("while (id < tiles)", "b", "id = 132 + id;"),
    "by ones": ("while (id < J)", "0", "id += 1;"),
    "by fives from two": ("while (id < J)", "2", "id += 5;"),
    "from twice the block": ("while (id < tiles)", "2 * b + 1", "id += 264;"),
    "by less than there are blocks": ("while (id < tiles)", "b", "id += 7;"),
}


@pytest.mark.parametrize("name", COUNTING)
def test_a_loop_that_counts_is_proved(name: str) -> None:
    flow = both(*COUNTING[name])
    assert (flow.strength, flow.findings, flow.reason) == (Strength.PROVED, (), "")


@pytest.mark.parametrize("name", COUNTING)
@pytest.mark.parametrize("late", ["n == 4", "k % 5 == 4", "id >= 20"])
def test_a_fault_in_it_is_found(name: str, late: str) -> None:
    head, start, step = COUNTING[name]
    load = role(f"if ({late}) {{ {EARLY} }} else {{ {LOAD} }}", head, start, step)
    flow = flow_of(kernel(load, role(USE, head, start, step), host=f"int tiles = {LAST};"))
    assert [finding.rule for finding in flow.findings] == ["stage-race"]


def test_its_story_names_the_variable_as_it_is() -> None:
    """The ring is read by a count that starts anew with each tile: wrong in the second one, which is tile 132."""
    head = f"while (id < {LAST})"
    load, use = role(LOAD, head), role(USE.replace("ring[n % 3]", "ring[k % 3]"), head)
    (finding,) = flow_of(kernel(load, use)).findings
    assert finding.rule == "stage-race"
    assert any("id = 132, k = 0" in related.message for related in finding.related)
    assert {name for step in finding.steps for name, _ in step.iteration} == {"id", "k"}
    assert {value for step in finding.steps for name, value in step.iteration if name == "id"} == {0, 132}


def test_roles_that_count_otherwise_part() -> None:
    load, use = role(LOAD, "while (id < J)", "0", "id += 2;"), role(USE, "while (id < J)", "1", "id += 2;")
    (finding,) = flow_of(kernel(load, use)).findings
    assert finding.rule in ("trip-count-mismatch", "credit-deadlock")
    assert finding.sizes["J"] % 2 == 1


def test_the_first_turn_is_known_by_where_it_starts() -> None:
    """Credits are given once, before the block's first tile."""
    head, give = f"while (id < {LAST})", "if ({}) {{ foreach s in [3] {{ trigger empty[s]; }} }}"
    for first, strength in (("id == b", Strength.PROVED), ("id != b", Strength.FAILS), ("id >= 0", Strength.FAILS)):
        use = role(USE, head).replace("foreach k", f"{give.format(first)} foreach k")
        text = kernel(role(LOAD, head), use).replace("empty[3] = ready", "empty[3]")
        assert flow_of(text).strength is strength


NOT_SURE = {
    "left early": ("while (id < tiles)", "b", "id += 132;", "if (n == 70) { break; }"),
    "gone on early": ("while (id < tiles)", "b", "id += 132;", "if (n == 70) { id += 132; continue; }"),
    "moved twice": ("while (id < tiles)", "b", "id += 132;", "if (n > 70) { id += 1; }"),
    "moved under a condition": ("while (id < tiles)", "b", "if (n > 0) { id += 132; }", ""),
    "moved in passing": ("while (id < tiles)", "b", "id += 132;", "if (id++ > 70) { n += 3; }"),
    "by what the caller says": ("while (id < tiles)", "b", "id += J;", ""),
    "by what memory says": ("while (id < tiles)", "b", "id += steps.at(id);", ""),
    "by a variable": ("while (id < tiles)", "b", "id += by;", "mutable int by = 132;"),
    "multiplied": ("while (id < tiles)", "b + 1", "id = id * 2;", ""),
    "read behind its step": ("while (id < tiles)", "b", "id += 132; if (id > 70) { n += 3; }", ""),
    "until it is met": ("while (id != tiles)", "0", "id += 1;", ""),
    "against memory": ("while (id < steps.at(0))", "b", "id += 132;", ""),
    "from memory": ("while (id < tiles)", "steps.at(0)", "id += 132;", ""),
    "from what the caller says": ("while (id < tiles)", "J", "id += 132;", ""),
    "with more in its condition": ("while (id < tiles && n < 900)", "b", "id += 132;", ""),
    "foreign code": ("while (id < tiles)", "b", "id += 132;", '__cpp__("id += 1;");'),
}


@pytest.mark.parametrize("name", NOT_SURE)
def test_what_is_not_surely_counting_is_not_proved(name: str) -> None:
    flow = both(*NOT_SURE[name])
    assert flow.strength is not Strength.PROVED


def test_a_variable_that_goes_on_where_it_was_is_not_counting_anew() -> None:
    """The second tile loop finds the variable at its end: the consumer makes but one round of them."""
    load = "foreach t in [2] { " + role(LOAD, "while (id < J)", "0", "id += 1;") + " }"
    use = role(USE, "foreach t in [2] { while (id < J)", "0", "id += 1;") + " }"
    flow = flow_of(kernel(load, use))
    assert flow.strength is Strength.FAILS


def test_one_that_is_declared_in_the_loop_around_starts_anew() -> None:
    text = "mutable int n = 0; foreach t in [2] {{ mutable int id = 0; while (id < J) {{ {} id += 1; }} }}"
    load, use = (text.format(TILES.format(work)) for work in (LOAD, USE))
    flow = flow_of(kernel(load, use))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


def test_a_variable_that_is_read_behind_the_loop_is_not_an_index() -> None:
    load, use = (
        f"{role(work, 'while (id < J)', '0', 'id += 5;')} k = 0; if (id > 20) {{ {work} }}" for work in (LOAD, USE)
    )
    assert flow_of(kernel(load, use)).strength is Strength.CHECKED


@pytest.mark.parametrize("head", ["foreach t in [cdiv(R, 4)]", f"while (id < {LAST})"])
@pytest.mark.parametrize(("slot", "right"), [("(n % 8) % 3", False), ("(n % 9) % 3", True), ("n % 3", True)])
def test_a_count_in_loops_of_fixed_length_goes_on_with_the_loop_around(head: str, slot: str, right: bool) -> None:
    """One tile a turn of the outer loop: the eighth one is read from the wrong slot."""
    tile, step = "foreach k in [1] {{ {} n += 1; }}", "id += 1;" if "while" in head else ""
    load, use = (
        f"mutable int id = 0; mutable int n = 0; {head} {{ {tile.format(work)} {step} }}"
        for work in (LOAD, USE.replace("ring[n % 3]", f"ring[{slot}]"))
    )
    flow = flow_of(kernel(load, use), TYPING_BUDGET)
    assert flow.strength is (Strength.PROVED if right else Strength.FAILS)
