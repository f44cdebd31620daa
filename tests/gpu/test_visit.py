"""The visit itself, as far as it can be tried without a card."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from croqc.codegen.program import program_of
from croqc.engines.gpu.compile import compiled
from croqc.engines.sim.entry import check_entry, entered
from croqc.engines.sim.errors import SimError
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import check_text
from croqc.service.run import run_planned
from croqc.service.run_plan import Request, plan_runs
from tests.gpu import visit
from tests.gpu.cases import Case, cases, name_of, plan, said
from tests.gpu.parts.hangs import MUTANTS, standing
from tests.gpu.parts.troubles import OUTSIDE
from tests.meta.tree import ROOT

CASES = list(cases())


def test_every_example_has_three_sizes() -> None:
    counts = Counter((case.file.name, case.function) for case in CASES)
    assert set(counts.values()) == {3}
    kernels = [*(ROOT / "examples").glob("*.co"), *(ROOT / "tests" / "gpu" / "kernels").glob("*.co")]
    assert {file for file, _ in counts} == {path.name for path in kernels}


def test_ragged_sizes_are_not_those_of_the_file() -> None:
    for given, double, ragged in zip(CASES[::3], CASES[1::3], CASES[2::3], strict=True):
        for name, value in given.sizes.items():
            assert (double.sizes[name], ragged.sizes[name]) in ((value * 2, value + 8), (value, value))
        assert given.sizes != ragged.sizes


@pytest.mark.parametrize("name", MUTANTS)
def test_each_mutant_is_stuck_in_the_simulator(name: str) -> None:
    file, mutate = MUTANTS[name]
    report = check_text(mutate((ROOT / "examples" / file).read_text(encoding="utf-8")))
    planned = plan_runs(report, Request())[0]
    told = said(run_planned(report, planned, Request()))
    assert told["verdict"] == "hangs"
    assert standing(told)


def test_the_kernel_that_crashes_has_no_mistake() -> None:
    report = check_text(OUTSIDE)
    assert report.diagnostics == ()
    analysis = report.functions[0].analysis
    assert analysis is not None
    kernels = lowered_kernels(analysis.model, report.target, {"N": 64})
    assert "y[where_to[i] * 100000000] = 1;" in program_of(analysis.model, kernels, {"N": 64}, "k").unit.text


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_each_case_compiles_with_and_without_report(case: Case) -> None:
    report, planned = plan(case, Request())
    analysis = planned.function.analysis
    assert analysis is not None
    try:
        check_entry(
            analysis.model, entered(analysis.model), {name: int(value) for name, value in planned.sizes.items()}
        )
    except SimError:
        assert case.kind == "ragged"  # it is not run with these sizes, there as here
        return
    for reports in (False, True):
        kernels = lowered_kernels(analysis.model, report.target, planned.sizes)
        made = program_of(analysis.model, kernels, planned.sizes, "k", report=reports)
        log = compiled(made.unit.text, report.target.name).log
        assert "0 bytes spill stores, 0 bytes spill loads" in log
        assert "serializ" not in log


@pytest.mark.slow
def test_tests_of_a_card_are_left_out_unless_asked_for() -> None:
    def selected(*words: str) -> str:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--collect-only",
            "-p",
            "no:xdist",
            "tests/gpu/test_card.py",
            *words,
        ]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout

    assert "no tests collected (15 deselected)" in selected()
    assert "no tests collected (15 deselected)" in selected("-m", "not slow")
    assert "15 tests collected" in selected("-m", "gpu")


def test_the_visit_needs_no_test_framework() -> None:
    """The machine with the card has the product's packages, CuPy and cuda-bindings, no more."""
    code = "import sys, tests.gpu.visit; print([name for name in ('pytest', 'hypothesis') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_visit_tells_its_options() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.visit", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--out" in done.stdout
    assert Path(visit.__file__).name == "visit.py"
