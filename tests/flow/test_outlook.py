"""An analysis that cannot come to its end ends early, and says so."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET
from croqc.flow.trials import Effort, Outlook
from tests.flow.pipes import check

HEAD = "__co__ void f(global s32 [C, 128] src, global s32 [C, 128] dst, int tiles) {\n parallel b by 1 : block {\n"
TURN = "foreach t in [tiles] {{ foreach {{k}} in [C] {{ o = t * C + k; {} }} }}"
ROW = "subspan(1, 128).at(k, 0).span_as([128])"


def rings(*lengths: int) -> str:
    """Roles that hand tiles on, through a ring of each length."""
    parts = []
    last = len(lengths)
    for role in range(last + 1):
        source = f"x{role - 1}[o % {lengths[role - 1]}]" if role else f"src.{ROW}"
        dest = f"x{role}[o % {lengths[role]}]" if role < last else f"dst.{ROW}"
        before = f"wait full{role - 1}.at(o); " * (role > 0) + f"wait empty{role}.at(o); " * (role < last)
        behind = f" trigger full{role}.at(o);" * (role < last) + f" trigger empty{role - 1}.at(o);" * (role > 0)
        body = TURN.format(f"{before}dma.copy {source} => {dest};{behind}")
        parts.append(f"inthreads.async (p == {role}) {{ {body} }}\n")
    made = "".join(
        f"shared s32 [128] x{number}[{n}]; shared event full{number}[{n}], empty{number}[{n}] = ready;\n"
        for number, n in enumerate(lengths)
    )
    return f"{HEAD}{made}parallel p by {last + 1} : group-4 {{ {''.join(parts)} }} }} }}"


def test_rings_that_come_again_together_after_hundreds_of_turns_end_early() -> None:
    found = check(rings(7, 8, 9), CHECK_BUDGET)
    assert (found.rules, found.strength) == ([], "checked")
    assert found.flow.reason == "to run all sizes that matter takes far more than the budget"
    assert found.flow.tried.startswith("at ") and "the largest tiles = " in found.flow.tried
    assert found.flow.spent < CHECK_BUDGET // 4


def test_a_fault_of_such_rings_is_found_all_the_same() -> None:
    found = check(rings(7, 8, 9).replace("trigger empty1.at(o);", "if (o < 9) { trigger empty1.at(o); }"), CHECK_BUDGET)
    assert found.rules == ["credit-deadlock"]


def test_rings_that_come_again_soon_are_proved_as_before() -> None:
    found = check(rings(2, 3), CHECK_BUDGET)
    assert (found.rules, found.strength) == ([], "proved")


@pytest.mark.parametrize(
    ("left", "used", "done", "wanted", "hopeless"),
    [
        (4_000_000, 1_000_000, 100, 1601, True),  # 10,000 each: more than 16,000,000
        (4_000_000, 1_000_000, 100, 1600, False),
        (4_000_000, 999_999, 100, 9999, False),  # too early to tell
        (4_000_000, 1_000_000, 0, 9999, False),  # nothing to tell by
        (0, 200_000, 10, 9999, False),  # while one types the budget is small and spent as a whole
    ],
)
def test_the_outlook(left: int, used: int, done: int, wanted: int, hopeless: bool) -> None:
    effort = Effort(left + used)
    outlook = Outlook(effort)
    effort.spend(used)
    assert outlook.is_hopeless(done, [True] * wanted + [False] * 9999) is hopeless


def test_the_outlook_is_asked_once_and_counts_what_was_spent_since() -> None:
    effort = Effort(9_000_000)
    effort.spend(2_000_000)
    outlook = Outlook(effort)
    assert not outlook.is_hopeless(1, [True] * 9999)
    effort.spend(1_000_000)
    assert not outlook.is_hopeless(1, [True])
    assert not outlook.is_hopeless(1, [True] * 9999)
