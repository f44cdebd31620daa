"""Drawn programs, eight schedules each: the verifier agrees with simulator and search (`make fuzz-flow`: more)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.truth.agreement import judge
from tests.truth.fuzz import program_of
from tests.truth.generate import programs
from tests.truth.mutate import mutants
from tests.truth.program import Program

PROGRAMS = 300
PART = 15


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, PROGRAMS, PART))
def test_agreement(start: int) -> None:
    for seed in range(start, start + PART):
        judged = judge(program_of(seed))
        assert not judged.disagrees, f"seed {seed}, {judged.says()}\n{judged.program.source()}"
        assert judged.outcome != "not analysed", f"seed {seed}, {judged.says()}\n{judged.program.source()}"


@pytest.mark.parametrize("seed", range(6))
def test_a_few(seed: int) -> None:
    judged = judge(program_of(seed), schedules=4, search=1_000)
    assert not judged.disagrees, f"seed {seed}, {judged.says()}\n{judged.program.source()}"


@pytest.mark.slow
@given(programs(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_what_hypothesis_draws_and_changes(program: Program, random: Random) -> None:
    changed = [program, *mutants(program)]
    judged = judge(changed[random.randint(0, len(changed) - 1)], schedules=4, search=1_000)
    assert not judged.disagrees, f"{judged.says()}\n{judged.program.source()}"
