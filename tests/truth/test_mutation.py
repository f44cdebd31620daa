"""A sample of the mutants of examples and pages (`make mutation`: all of them), and what the score counts."""

from __future__ import annotations

import pytest

from tests.truth.kernels import sources
from tests.truth.mutation import Mutant, accusations, checked, everything, examine_number, table

EVERY = 5
SCORE = 0.98


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_sample_of_mutants_is_found_and_nobody_is_accused_falsely() -> None:
    found = [examine_number(which) for which in everything()[::EVERY]]
    changed = [mutant for mutant in found if mutant.changed]
    missed = [f"{mutant.kernel}, {mutant.label}: {mutant.effect}" for mutant in changed if not mutant.said]
    assert [f"{item.kernel}, {item.label}: {sorted(item.said)}" for item in found if item.falsely_accused] == []
    assert len(changed) > 40
    assert len(missed) <= (1 - SCORE) * len(changed), missed


def test_originals_are_never_accused() -> None:
    """Every valid kernel of examples and pages, those that cannot be run included."""
    accused = {name: sorted(said) for name, text in sources() if (said := accusations(checked(text)))}
    assert accused == {}


def test_the_score_counts_what_changes_meaning() -> None:
    def mutant(effect: str, *said: str) -> Mutant:
        return Mutant("k", "drop-wait, line 1", "", effect, frozenset(said))

    rows = [mutant("hang", "credit-deadlock"), mutant("wrong"), mutant("equal"), mutant("equal", "stage-race")]
    rows += [mutant("equal", "unused-event"), mutant("undecided", "stage-race"), mutant("no program", "index-type")]
    text = table(rows)
    assert "1 of 2 that change meaning are found (50.0 %), 1 of 3 equivalent ones are accused." in text
    assert "| drop-wait | 7 | 1 | 2 | 1 | 3 | 1 | 0 | 1 |" in text
