"""The visit itself, as far as it can be tried without a card."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from croqc.codegen.program import program_of
from croqc.engines.gpu.compile import compiled
from croqc.engines.sim.entry import check_entry, entered
from croqc.engines.sim.errors import SimError
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import check_file, check_text
from croqc.service.run import run_planned
from croqc.service.run_plan import Request, plan_runs
from tests.codegen.test_probes import probed
from tests.engines.children import parent
from tests.engines.probe_bytes import Ring, file_of
from tests.gpu import visit
from tests.gpu.cases import Case, cases, covered, name_of, plan, run, said
from tests.gpu.parts import profiles
from tests.gpu.parts.hangs import MUTANTS, standing
from tests.gpu.parts.troubles import OUTSIDE
from tests.meta.tree import ROOT
from tests.pipe.lowering import example

CASES = list(cases())
SIZES = {"M": 512, "N": 512, "K": 512}


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


@pytest.mark.parametrize("case", list(covered()), ids=name_of)
def test_the_simulator_verifies_each_construct(case: Case) -> None:
    assert said(run(case, None, None))["verdict"] == "verified"


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

    asked = re.search(r"(\d+) tests collected", selected("-m", "gpu"))
    assert asked is not None
    left_out = f"no tests collected ({asked[1]} deselected)"
    assert left_out in selected()
    assert left_out in selected("-m", "not slow")


def test_the_visit_needs_no_test_framework() -> None:
    """The machine with the card has the product's packages, CuPy and cuda-bindings, no more."""
    code = "import sys, tests.gpu.visit; print([name for name in ('pytest', 'hypothesis') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def left_by(folder: Path, **changes: Any) -> Path:
    """The records of the course kernel at 512 x 512 x 512: four turns in each of the blocks 0 and 63."""
    probes = probed(example("pipeline_course"), sizes=SIZES).kernels[0].probes
    assert probes is not None
    lanes = [replace(lane, **changes) for block in (0, 63) for lane in Ring(probes, 2, 4, 50, 800, 300).lanes(block)]
    (folder / "left").write_bytes(file_of(lanes))
    return folder / "left"


def test_a_sound_profile_has_no_faults(tmp_path: Path) -> None:
    with parent("profile", 10e-6, 11e-6, left_by(tmp_path)) as card:
        row = profiles.profile(card, ROOT / "examples" / "pipeline_course.co", SIZES)
    assert (row["faults"], round(row["slowdown"], 3)) == ([], 1.1)
    assert [block["block"] for block in row["kernels"][0]["blocks"]] == [0, 63]


@pytest.mark.parametrize(
    ("plain", "probed_in", "changes", "said"),
    [
        (10e-6, 21e-6, {}, "with probes it takes 2.100 x the plain time"),
        (1e-6, 1e-6, {}, "matmul, block 0: it lasts 2715 ns, the kernel 1000"),
        (
            10e-6,
            10e-6,
            {"visits": ()},
            "matmul, block 0: nothing was recorded of [('path p1 == 0', 'trigger', 'full', 28)",
        ),
        (10e-6, 10e-6, {"block": 1}, "not profiled: the records of the probes are of no use: block 1 recorded"),
    ],
)
def test_faults_of_a_profile_are_told(
    tmp_path: Path, plain: float, probed_in: float, changes: dict[str, Any], said: str
) -> None:
    with parent("profile", plain, probed_in, left_by(tmp_path, **changes)) as card:
        row = profiles.profile(card, ROOT / "examples" / "pipeline_course.co", SIZES)
    assert any(fault.startswith(said) for fault in row["faults"]), row["faults"]


def test_what_is_profiled_is_there_and_takes_these_sizes() -> None:
    for name, sizes in profiles.CASES:
        report = check_file(ROOT / "examples" / name)
        planned = plan_runs(report, Request(sizes=dict(sizes)))
        assert [each.problem for each in planned] == [""] * len(planned)
        assert set(sizes) <= set(planned[0].sizes)


def test_the_visit_tells_its_options() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.visit", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--out" in done.stdout
    assert Path(visit.__file__).name == "visit.py"
