"""Kernels with probes as CUDA: one golden, every example compiled without complaint, names that get out of the way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from croqc.codegen import probe_format
from croqc.codegen.program import Program
from croqc.codegen.unit import header
from croqc.pipe.errors import LoweringError
from croqc.service.check import FileReport, check_text
from croqc.service.lowering import program_for, sizes_of
from tests.codegen.compiling import complaints, log_of
from tests.pipe.golden import compare
from tests.pipe.lowering import EXAMPLES, NAMES, example

GOLDEN = Path(__file__).with_name("probes") / "pipeline_course.cu"
ARCHS = ("sm_90a", "sm_80", "sm_100a")
COURSE = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")


def probed(report: FileReport, waits: bool = False, sizes: Mapping[str, int] | None = None) -> Program:
    """The first function with probes, for its own sizes unless others are given; scalars are 1."""
    function = report.functions[0]
    assert function.analysis is not None
    own = {**dict.fromkeys(("alpha", "beta"), 1), **(sizes_of(report, function) if sizes is None else sizes)}
    return program_for(report, function, function.analysis.model, own, waits, probes=True)


def test_the_cuda_of_the_course_kernel(request: pytest.FixtureRequest) -> None:
    compare(GOLDEN, probed(example("pipeline_course")).unit.text.partition("using namespace croq;\n\n")[2], request)


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", NAMES)
def test_every_example_compiles_without_complaint(name: str, arch: str) -> None:
    """Where its target takes it at all: that is the plain kernel's matter."""
    report = example(name, arch)
    try:
        program = probed(report)
    except LoweringError:
        assert arch != "sm_90a"
        return
    log = log_of(program.unit.text, arch)
    assert "ptxas info" in log
    assert complaints(log) == []


def test_a_kernel_without_probes_has_no_trace_of_them() -> None:
    report = example("pipeline_course")
    function = report.functions[0]
    assert function.analysis is not None
    program = program_for(report, function, function.analysis.model, sizes_of(report, function))
    assert "probe" not in program.unit.text.lower()


def test_the_memory_is_laid_out_as_the_header_says() -> None:
    text = header("probe")
    (shift,) = re.findall(r"kPlaces = 1 << (\d+)", text)
    (blocks,) = re.findall(r"u32 blocks\[(\d+)\]", text)
    assert (1 << int(shift), int(blocks)) == (probe_format.PLACES, probe_format.BLOCKS)
    aligned = dict(re.findall(r"struct alignas\((\d+)\) (\w+)", text))
    assert {int(size): name for size, name in aligned.items()} == {
        probe_format.RECORD_BYTES: "ProbeRecord",
        probe_format.LANE_BYTES: "ProbeLane",
    }


def test_waits_may_report_too() -> None:
    text = probed(example("pipeline_course"), waits=True).unit.text
    assert text.count("const __grid_constant__") == 3 + 2
    assert complaints(log_of(text, "sm_90a")) == []


@pytest.mark.parametrize("name", ["probes", "probe_at", "probe_begun", "probe_start", "ProbeLane", "read_clock"])
def test_names_of_the_program_come_first(name: str) -> None:
    program = probed(check_text(re.sub(r"\blhs\b", name, COURSE)))
    assert complaints(log_of(program.unit.text, "sm_90a")) == []
