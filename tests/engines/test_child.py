"""The real child, compiling for real, on a stub of CuPy: stages, data, report, and what it says of each error."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from croqc.codegen.host import host_lines
from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.hang import WaitRecord, read_records, with_report
from croqc.engines.gpu.job import launches_of, make_job, outputs_of
from croqc.engines.gpu.parent import Parent, child_command
from croqc.engines.gpu.protocol import PRINTED, Answer, Array, Job
from croqc.engines.gpu.traces import Visit, traces_of, with_probes
from tests.codegen.test_probes import probed
from tests.engines.children import STUB, alive, on_stub
from tests.engines.test_job import program
from tests.gpu.parts.overlaps import chain
from tests.pipe.lowering import example

SIZES = {"M": 256, "N": 128, "K": 128}


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Parent]:
    """A parent of the real child, whose CuPy does what is asked."""

    def make(what: str = "") -> Parent:
        return on_stub(monkeypatch, tmp_path / "kernels", what)

    return make


def job_in(folder: Path, /, **changes: object) -> Job:
    folder.mkdir(exist_ok=True)
    data = {"lhs": np.ones((256, 128), np.float16), "rhs": np.ones((128, 128), np.float16)}
    return replace(make_job(program("pipeline_1p2c.co", **SIZES), data, folder, "sm_90a"), **changes)  # type: ignore[arg-type]


def test_a_run_from_data_to_data(card: Callable[[str], Parent], tmp_path: Path) -> None:
    folder = tmp_path / "job"
    with card("") as parent:
        first = parent.run(job_in(folder, repeat=4, cold=True))
        second = parent.run(job_in(folder))
    assert isinstance(first, Answer) and isinstance(second, Answer)
    assert (first.stage, first.device, first.times) == ("done", "Stub", (0.002,) * 4)
    assert (first.cached, second.cached) == (False, True)
    assert first.compile_time > 0 == second.compile_time
    assert (first.registers, first.spilled) == ({"matmul": 40}, {"matmul": 8})
    assert first.printed.splitlines() == ["matmul (2, 2, 1) 384"] * (1 + 2 + 4)
    assert second.printed.splitlines() == ["matmul (2, 2, 1) 384"]
    back = outputs_of(program("pipeline_1p2c.co", **SIZES), folder)
    assert (back["lhs"] == 1).all() and (back["output"] == 0).all()


def test_a_slow_kernel_is_timed_less_often(card: Callable[[str], Parent], tmp_path: Path) -> None:
    with card("") as parent:
        answer = parent.run(job_in(tmp_path / "job", repeat=50, time_budget=0.0))
    assert isinstance(answer, Answer)
    assert len(answer.times) == 1
    assert len(answer.printed.splitlines()) == 2


def test_the_records_of_a_wait_outlive_the_child(card: Callable[[str], Parent], tmp_path: Path) -> None:
    made = program("pipeline_1p2c.co", report=True, **SIZES)
    folder = tmp_path / "job"
    folder.mkdir()
    job = with_report(make_job(made, {}, folder, "sm_90a"), tmp_path / "report", 0.5)
    with card("wait") as parent:
        found = parent.run(job)
        assert parent.child_pid is None
    assert isinstance(found, Trouble)
    assert (found.kind, found.kernel) == (Kind.CRASHED, "matmul")
    assert read_records(tmp_path / "report") == (WaitRecord(1, 2, 3, 1, True, 1, 128),)


def test_probes_record_in_the_last_rounds(card: Callable[[str], Parent], tmp_path: Path) -> None:
    """One launch for the data, two to warm up and three for the clock with every block, eight that record."""
    made = probed(example("pipeline_1p2c"), sizes=SIZES)
    folder = tmp_path / "job"
    folder.mkdir()
    job = with_probes(make_job(made, {}, folder, "sm_90a", repeat=3), made, (0,))
    with card("probe") as parent:
        answer = parent.run(job)
    assert isinstance(answer, Answer) and answer.stage == "done"
    told = [line for line in answer.printed.splitlines() if line.startswith("every")]
    assert told == [f"every {every}, blocks 0 and 0xffffffff" for every in (0, *[1] * 5, *[0] * 8)]
    probes = made.kernels[0].probes
    assert probes is not None and len(probes.recorders) == 3
    ((path,),) = [block.paths for block in traces_of((folder / "probes-0").read_bytes(), 0, probes, (0,))]
    assert (path.path, path.dropped) == ("path p = 1", 1)  # memory is cleared in between
    assert path.visits == (Visit(1, 0, 14, 50, 100),)


def test_the_rounds_of_a_slow_kernel_are_no_hang(card: Callable[[str], Parent], tmp_path: Path) -> None:
    """A fifth of a second each: within a second are one for the data, the timed ones, and each that records."""
    made = probed(example("pipeline_1p2c"), sizes=SIZES)
    folder = tmp_path / "job"
    folder.mkdir()
    job = with_probes(make_job(made, {}, folder, "sm_90a", repeat=20), made, (0,))
    with card("slow") as parent:
        answer = parent.run(job, 1.0)
    assert isinstance(answer, Answer), answer
    assert len(answer.times) == 1
    assert len(answer.printed.splitlines()) in (1 + 1 + 8, 1 + 1 + 1 + 8)


@pytest.mark.parametrize(
    ("what", "kind", "said"),
    [
        ("outside", Kind.CRASHED, "kernel 'matmul' crashed on the card: an access to an illegal address"),
        ("trap", Kind.CRASHED, "kernel 'matmul' crashed on the card: a launch failure"),
        ("none", Kind.NO_DEVICE, "there is no NVIDIA card here"),
        ("bare", Kind.NO_DEVICE, "there is no NVIDIA card here"),
        ("map", Kind.REFUSED, "tensor map of 'lhs' with a box of 128 x 64"),
        ("tight", Kind.TOO_MANY_RESOURCES, "bytes of shared memory; this card has 1,024"),
        ("narrow", Kind.TOO_MANY_RESOURCES, "needs 15,360 registers, 40 in each of 384 threads; this card has 4,096"),
    ],
)
def test_each_error_of_the_card(
    card: Callable[[str], Parent], tmp_path: Path, what: str, kind: Kind, said: str
) -> None:
    with card(what) as parent:
        found = parent.run(job_in(tmp_path / "job"))
    assert isinstance(found, Trouble)
    assert (found.kind, said in found.message) == (kind, True), found


def test_too_little_memory(card: Callable[[str], Parent], tmp_path: Path) -> None:
    with card("") as parent:
        found = parent.run(job_in(tmp_path / "job", arrays=(Array("lhs", 1 << 40, False),)))
    assert isinstance(found, Trouble) and found.kind is Kind.MEMORY
    assert found.message.endswith("for this run: the arrays take 1,099,511,627,776 bytes, 8,388,608 are free")


def test_code_that_does_not_compile_keeps_its_log(card: Callable[[str], Parent], tmp_path: Path) -> None:
    with card("") as parent:
        found = parent.run(job_in(tmp_path / "job", code="void k() { nonsense }\n"))
    assert isinstance(found, Trouble) and found.kind is Kind.COMPILER
    assert 'identifier "nonsense" is undefined' in found.log


def test_a_vector_has_a_tensor_map_too(card: Callable[[str], Parent], tmp_path: Path) -> None:
    """The stub refuses a null address of strides, as the driver does, though a map of one dimension has none."""
    made = chain("tma", 1024, delays=False)
    (rows,) = {len(argument.extents) for argument in launches_of(made)[0].args if argument.kind == "map"}
    assert rows == 1
    (tmp_path / "job").mkdir()
    with card("") as parent:
        found = parent.run(make_job(made, {"x": np.arange(1024, dtype=np.int32)}, tmp_path / "job", "sm_90a"))
    assert isinstance(found, Answer), found


def test_the_card_is_asked_for_its_room_once_a_job(card: Callable[[str], Parent], tmp_path: Path) -> None:
    made = chain("tma", 1024, delays=False)
    (tmp_path / "job").mkdir()
    with card("") as parent:
        job = make_job(made, {"x": np.arange(1024, dtype=np.int32)}, tmp_path / "job", "sm_90a")
        assert len(job.launches) > len({launch.kernel for launch in job.launches})
        assert isinstance(parent.run(job), Answer)
        assert parent._child is not None
        assert parent._child._log().splitlines().count("properties") == 1


def test_tensor_maps_are_those_of_the_printed_host_side(card: Callable[[str], Parent], tmp_path: Path) -> None:
    """The stub writes what it is asked for to the log of the child."""
    with card("") as parent:
        parent.run(job_in(tmp_path / "job"))
        child = parent._child
        assert child is not None
        said = [line for line in child._log().splitlines() if line.startswith("map ")]
    kind, swizzle = "CU_TENSOR_MAP_DATA_TYPE_FLOAT16", "CU_TENSOR_MAP_SWIZZLE_128B"
    assert said == [f"map {kind} {swizzle} CU_TENSOR_MAP_L2_PROMOTION_L2_256B"] * 3
    host = "\n".join(line.text for line in host_lines([program("pipeline_1p2c.co", **SIZES)]))
    assert all(host.count(word) for word in said[0].split()[1:])


def test_a_folder_that_went_is_a_trouble(card: Callable[[str], Parent], tmp_path: Path) -> None:
    with card("") as parent:
        found = parent.run(job_in(tmp_path / "job", folder=str(tmp_path / "gone")))
    assert isinstance(found, Trouble) and found.kind is Kind.FOLDER


ORPHAN = """
import sys, threading, time
from croqc.engines.gpu.parent import Parent, child_command
parent = Parent(child_command(None))
threading.Thread(target=parent.card, daemon=True).start()
while parent.child_pid is None:
    time.sleep(0.01)
time.sleep(1)
print(parent.child_pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_a_busy_child_does_not_outlive_a_parent_that_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(STUB), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("STUB", "busy")
    with subprocess.Popen([sys.executable, "-c", ORPHAN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    deadline = time.monotonic() + 20
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(pid)


def test_the_card_is_named(card: Callable[[str], Parent]) -> None:
    with card("") as parent:
        assert parent.card() == "Stub"
        pid = parent.child_pid
    assert pid is not None and not alive(pid)


def test_asking_for_the_card_touches_no_file(
    card: Callable[[str], Parent], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "printed").write_text("a user's own")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with card("") as parent:
        assert parent.card() == "Stub"
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("printed", "a user's own")]


def test_what_kernels_print_is_the_users_alone(card: Callable[[str], Parent], tmp_path: Path) -> None:
    with card("") as parent:
        parent.run(job_in(tmp_path / "job"))
    assert (tmp_path / "job" / PRINTED).stat().st_mode & 0o777 == 0o600


def test_a_link_in_the_folder_is_not_followed(card: Callable[[str], Parent], tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("kept")
    job = job_in(tmp_path / "job")
    (tmp_path / "job" / PRINTED).symlink_to(own)
    with card("") as parent:
        assert isinstance(parent.run(job), Answer)
    assert own.read_text() == "kept"


def test_a_full_disk_of_results_is_told_as_one(card: Callable[[str], Parent], tmp_path: Path) -> None:
    job = job_in(tmp_path / "job")
    (tmp_path / "job" / "output.out").symlink_to("/dev/full")
    with card("") as parent:
        found = parent.run(job)
    assert isinstance(found, Trouble) and found.kind is Kind.DISK


def test_reductions_are_cupys_own(tmp_path: Path) -> None:
    """CUB's templates take seconds to compile, each at its first use."""
    path = os.pathsep.join([str(STUB), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        child_command(tmp_path),
        input="",
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert "reductions of []" in done.stderr.splitlines()
