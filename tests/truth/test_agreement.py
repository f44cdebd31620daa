"""Drawn programs, eight schedules each: the verifier agrees with simulator and search (`make fuzz-flow`: more)."""

from __future__ import annotations

import pytest

from tests.truth.agreement import judge
from tests.truth.fuzz import program_of

PROGRAMS = 300
PART = 25


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
