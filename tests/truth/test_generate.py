"""Drawn programs are programs, of all the kinds that are promised; those drawn correct are correct."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings

from croqc.service.check import check_text
from croqc.text.diagnostics import Severity
from tests.truth.agreement import model_of
from tests.truth.exhaustive import explore_program
from tests.truth.generate import draw_program, programs
from tests.truth.program import Program
from tests.truth.simulated import simulate_program

pytestmark = pytest.mark.slow


@cache
def drawn(count: int) -> tuple[Program, ...]:
    return tuple(draw_program(Random(seed)) for seed in range(count))


@given(programs())
@settings(max_examples=30)
def test_nothing_is_said_against_a_drawn_program_before_its_flow(program: Program) -> None:
    loud = [item for item in check_text(program.text).found if item.severity in (Severity.ERROR, Severity.WARNING)]
    assert loud == [], program.text


def test_the_same_seed_draws_the_same_program() -> None:
    assert draw_program(Random(7)) == draw_program(Random(7))


@pytest.mark.parametrize("count", [10, pytest.param(120, marks=pytest.mark.slow)])
def test_correct_programs_give_what_they_must_and_no_interleaving_harms_them(count: int) -> None:
    for program in drawn(count):
        model = model_of(program)
        assert model is not None
        seen, explored = simulate_program(program, model, 3), explore_program(program, model, 1_500)
        assert explored is not None
        if program.correct:
            assert seen.kind == "clean", program.text
            assert explored.faults == frozenset(), program.text


def test_every_fourth_program_that_is_drawn_faulty_shows_it() -> None:
    """Overruns need a path that is late by two rounds: rare under random schedules, certain for the search."""
    faulty = [program for program in drawn(400) if not program.correct]
    models = [(program, model_of(program)) for program in faulty]
    searched = [explore_program(program, model) for program, model in models if model is not None]
    assert len(searched) == len(faulty) > 5
    assert all(explored is not None and explored.hard for explored in searched)


def test_all_kinds_are_drawn() -> None:
    texts = [program.text for program in drawn(400)]
    labels = Counter(re.sub(r" \d", "", program.label) for program in drawn(400))
    assert set(labels) >= {
        "one to one",
        "one to many",
        "one to halves",
        "two to one",
        "turns",
        "turns, faulty",
        "chain",
    }
    assert set(labels) >= {"two rings", "tiles too", "multiply", "rotating", "multiplying", "single"}
    roles = {text.count("inthreads.async") for text in texts}
    assert roles == {0, 2, 3, 4}
    stages = {int(number) for text in texts for number in re.findall(r"event full_a\[(\d)\]", text)}
    assert stages == {1, 2, 3, 4, 5}
    for piece in ("async<full", " after ", "= ready", "mma.commit", "event<1>", "if (ti == 0)", "swap(", "rotate("):
        assert any(piece in text for text in texts), piece
    dialects = {model.dialect for program in drawn(60) if (model := model_of(program)) is not None}
    assert dialects >= {"classic", "course", "current"}
