"""Every example is clean, formatted, and verified in the simulator under several seeds and schedules."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.runs.report import Verdict
from croqc.service.check import FileReport, check_file
from croqc.service.format import format_text
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import Request
from croqc.service.settings import Settings
from croqc.text.diagnostics import Severity

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.co"))
names = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


def runs(path: Path, request: Request) -> list[RunReport]:
    def recheck(arch: str) -> FileReport:
        return check_file(path, Settings(arch=arch))

    return list(run_file(check_file(path), request, recheck))


def test_the_examples_that_the_readme_promises_are_there() -> None:
    assert {path.stem for path in EXAMPLES} >= {
        *("add", "add_tiled", "matmul_scalar", "swap_s32", "swap_f16", "pipeline_course", "pipeline_classic"),
        *("pipeline_current", "rotate_triple", "pipeline_1p2c", "persistent_1p2c", "transpose", "pad", "reduce"),
        "matmul_ragged",
    }


@names
def test_is_clean(path: Path) -> None:
    found = check_file(path).diagnostics
    assert [item for item in found if item.severity in (Severity.ERROR, Severity.WARNING)] == []


@names
def test_is_formatted(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_text(text).text == text


@names
@pytest.mark.parametrize("seed", [0, 1])
def test_is_verified(path: Path, seed: int) -> None:
    outcomes = runs(path, Request(seed=seed, schedules=3))
    assert outcomes
    for outcome in outcomes:
        assert outcome.result.verdict is Verdict.VERIFIED, outcome
        assert outcome.result.expectations
        assert all(item.total > 0 for item in outcome.result.expectations)
