"""Simulator and exhaustive search decide the same without the verifier."""

from __future__ import annotations

import pytest

from tests.truth.agreement import model_of, split
from tests.truth.exhaustive import explore_program
from tests.truth.fuzz import program_of
from tests.truth.simulated import simulate_program

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("start", "end"), [(0, 10), pytest.param(10, 150, marks=pytest.mark.slow)])
def test_what_a_schedule_shows_the_search_finds(start: int, end: int) -> None:
    for seed in range(start, end):
        program = program_of(seed)
        model = model_of(program)
        if model is not None:
            seen, explored = simulate_program(program, model, 4), explore_program(program, model, 2_000)
            assert not split(seen, explored), f"seed {seed}, {program.label}: {seen}\n{program.source()}"
