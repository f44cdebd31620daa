"""How kernels are started, on a stub of the driver that logs it: parameters by value, launches that may overlap."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.job import launches_of
from croqc.engines.gpu.protocol import Answer, Job
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


def test_parameters_are_passed_as_the_kernel_declares_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two tensor maps, three pointers, then M, N and K in the kernel's order; the stub reads as many bytes as the
    machine code has."""
    kernel = program("pipeline_1p2c.co", **SIZES).kernels[0]
    values = [str(SIZES[name]) for name, _ in kernel.scalars]
    said = logged(job_in(tmp_path / "job"), monkeypatch, tmp_path, "parameters .*")
    assert said == [f"parameters |V128 |V128 <u8 <u8 <u8 {' '.join(values)}"]


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
