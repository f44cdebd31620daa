"""Pipelines drawn as source text: a correct one stays correct in either dialect, under several schedules."""

from dataclasses import replace
from random import Random

import pytest

from croqc.service.check import check_text
from croqc.service.migrate import migrate
from croqc.service.settings import Settings
from tests.truth.generate import draw_program
from tests.truth.program import Program
from tests.truth.simulated import analysis_of, simulate_program

pytestmark = pytest.mark.slow


def seen(program: Program) -> str:
    analysis = analysis_of(program)
    assert analysis is not None
    return simulate_program(program, analysis.model, 4).kind


@pytest.mark.parametrize("seed", range(60))
def test_a_drawn_pipeline_stays_correct(seed: int) -> None:
    program = draw_program(Random(seed))
    before = seen(program) if program.correct else ""
    for to in ("current", "course"):
        report = check_text(program.text, Settings(defines=dict(program.defines)))
        text = migrate(report, to, program.defines).text
        again = migrate(check_text(text, Settings(defines=dict(program.defines))), to, program.defines)
        assert again.text == text
        if before == "clean":
            assert seen(replace(program, text=text)) == "clean"
