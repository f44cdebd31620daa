"""Kernels that dawdle: off unless asked for, delays at what paths do to each other, and sound for the compiler."""

from __future__ import annotations

import re

import pytest

from croqc.codegen.program import Program, program_of
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import FileReport, check_text
from croqc.service.lowering import sizes_of
from tests.codegen.compiling import complaints, log_of
from tests.pipe.lowering import EXAMPLES, example

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.co"))


def made(report: FileReport, delays: bool, waits: bool = False) -> Program:
    (function,) = report.functions
    assert function.analysis is not None
    sizes = sizes_of(report, function)
    model = function.analysis.model
    kernels = lowered_kernels(model, report.target, sizes)
    return program_of(model, kernels, sizes, "k", report=waits, delays=delays)


def body(program: Program) -> list[str]:
    lines = [line.text.strip() for line in program.unit.lines]
    return lines[next(number for number, line in enumerate(lines) if line.startswith('extern "C"')) :]


def test_without_them_nothing_of_them_is_there() -> None:
    assert "delay" not in made(example("pipeline_1p2c"), delays=False).unit.text


def test_with_them_the_rest_is_as_before() -> None:
    """The seed is the last parameter; a line more behind the phases; else only calls are added."""
    report = example("pipeline_1p2c")
    with_delays = [line for line in body(made(report, delays=True)) if line != "random_delay(delays);"]
    assert with_delays.pop(with_delays.index("u32 delays = delay_start(delay_seed);"))
    (seed,) = [number for number, line in enumerate(with_delays) if line == "u32 delay_seed) {"]
    assert with_delays[seed - 1].endswith(",")
    with_delays[seed - 1 : seed + 1] = [with_delays[seed - 1][:-1] + ") {"]
    assert with_delays == body(made(report, delays=False))


@pytest.mark.parametrize(
    ("call", "behind"),
    [("mbarrier_wait(", 2), ("tma_load", 0), ("if (threadIdx.x % 128 == 0) mbarrier_arrive", 1)],
)
def test_where_they_stand(call: str, behind: int) -> None:
    """In front of waits, copies and arrivals; behind a wait with its phase bit, and behind an arrival."""
    lines = body(made(example("pipeline_1p2c"), delays=True))
    lines = lines[lines.index("u32 delays = delay_start(delay_seed);") :]
    found = [number for number, line in enumerate(lines) if line.startswith(call)]
    assert found
    for number in found:
        assert lines[number - 1] == "random_delay(delays);"
        assert not behind or lines[number + behind] == "random_delay(delays);"


def test_a_name_of_the_program_is_left_to_it() -> None:
    text = (EXAMPLES / "pipeline_1p2c.co").read_text(encoding="utf-8").replace("stage", "delays")
    assert "u32 delays_ = delay_start(delay_seed);" in made(check_text(text), delays=True).unit.text


def test_report_and_delays_go_together() -> None:
    text = made(example("pipeline_1p2c"), delays=True, waits=True).unit.text
    assert re.search(r"WaitReport report,\s+u32 delay_seed\)", text)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_example_compiles_with_them(name: str) -> None:
    report = example(name)
    assert complaints(log_of(made(report, delays=True).unit.text, report.target.name)) == []
