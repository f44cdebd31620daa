"""How kernels are started, on a stub of the driver that logs it: parameters by value, launches that may overlap."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.job import launches_of, make_job
from croqc.engines.gpu.protocol import Answer, Job
from croqc.runs.elements import ELEMENTS
from tests.codegen.test_dependents import made
from tests.engines.children import on_stub
from tests.engines.test_child import SIZES, job_in
from tests.engines.test_job import program
from tests.pipe.lowering import example


def logged(job: Job, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pattern: str) -> list[str]:
    """The lines of the child's log that a pattern matches."""
    with on_stub(monkeypatch, tmp_path / "kernels", "tell") as way:
        answer = way.run(job)
        assert isinstance(answer, Answer), answer
        assert way._child is not None
        return [line for line in way._child._log().splitlines() if re.fullmatch(pattern, line)]


def test_kernels_that_wait_themselves_may_begin_early(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One launch for the data, two to warm up and two that are timed."""
    said = logged(job_in(tmp_path / "job", repeat=2), monkeypatch, tmp_path, "overlaps .*|launch")
    assert said == ["overlaps 1", "launch"] * 5


def test_others_follow_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A kernel without the wait would read what the launch in front has not written yet."""
    job = job_in(tmp_path / "job", repeat=2)
    plain = replace(job, launches=tuple(replace(each, dependent=False) for each in job.launches))
    assert logged(plain, monkeypatch, tmp_path, "overlaps .*|launch") == ["launch"] * 5


@pytest.mark.parametrize(
    ("name", "arrays"),
    [("pipeline_1p2c.co", "|V128 |V128 |V128"), ("swap_f16.co", "|V128 <u8 <u8"), ("add.co", "<u8 <u8 <u8")],
)
def test_parameters_are_passed_as_the_kernel_declares_them(
    name: str, arrays: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Tensor maps, pointers to what threads touch, then sizes in the kernel's order; the stub reads as many bytes as
    the machine code has."""
    made = program(name, **SIZES)
    folder = tmp_path / "job"
    folder.mkdir()
    data = {array.name: np.ones(array.shape, ELEMENTS[array.elem].dtype) for array in made.arrays if array.is_parameter}
    values = [str(SIZES[size]) for size, _ in made.kernels[0].scalars]
    said = logged(make_job(made, data, folder, "sm_90a"), monkeypatch, tmp_path, "parameters .*")
    assert said == [f"parameters {' '.join([arrays, *values])}"]


def test_a_launch_that_the_driver_refuses_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with on_stub(monkeypatch, tmp_path / "kernels", "no-launch") as way:
        found = way.run(job_in(tmp_path / "job"))
    assert isinstance(found, Trouble)
    assert (found.kind, found.kernel) == (Kind.TOO_MANY_RESOURCES, "matmul")


@pytest.mark.parametrize(("arch", "dependent"), [("sm_90a", True), ("sm_100a", True), ("sm_80", False)])
def test_what_a_job_says_of_it(arch: str, dependent: bool, tmp_path: Path) -> None:
    (launch,) = launches_of(made(example("add", arch)))
    assert launch.dependent is dependent
    job = Job(str(tmp_path), "", arch, (), (launch,))
    assert Job.of_json(job.to_json()) == job
