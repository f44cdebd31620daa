"""The hang report: records of a card become the words of the simulator."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

from croqc.codegen.program import Program, program_of
from croqc.engines.gpu import hang
from croqc.engines.gpu.compile import compiled
from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.hang import WaitRecord, hung_paths, read_records, with_report
from croqc.engines.gpu.job import make_job
from croqc.engines.gpu.protocol import Job
from croqc.pipe.lower import lowered_kernels
from croqc.runs.report import Verdict
from croqc.sema.model import Model
from croqc.service.check import FileReport, check_text
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import CardRequest, Request
from croqc.service.run_result import run_entry
from croqc.targets import find_target
from tests.cli.seeds import BOOTSTRAP, EXAMPLES, PIPELINE
from tests.engines.children import parent

WITHOUT_WAITS = (EXAMPLES / "add.co").read_text(encoding="utf-8")
STUCK = PIPELINE.replace(BOOTSTRAP, "")
SIZES = {"M": 128, "N": 128, "K": 512}
TWO = (EXAMPLES / "pipeline_1p2c.co").read_text(encoding="utf-8")


def lowered(text: str, sizes: dict[str, int]) -> tuple[Model, Program]:
    analysis, target = check_text(text).functions[0].analysis, find_target("sm_90a")
    assert analysis is not None and target is not None
    return analysis.model, program_of(
        analysis.model, lowered_kernels(analysis.model, target, sizes), sizes, "k", report=True
    )


def recheck(arch: str) -> FileReport:
    raise AssertionError("no file here asks for another architecture")


def run(text: str, request: Request, card: object = None) -> RunReport:
    return next(iter(run_file(check_text(text), request, recheck, None, card)))  # type: ignore[arg-type]


def test_records_are_read_as_the_header_writes_them(tmp_path: Path) -> None:
    """Words of u32: site, slot, generation, parity, state, block, thread, unused."""
    rows = np.zeros((4, 8), np.uint32)
    rows[1] = (2, 1, 5, 1, 2, 7, 130, 0)
    rows[3] = (1, 0, 4, 0, 1, 7, 0, 0)
    rows.tofile(tmp_path / "report")
    assert read_records(tmp_path / "report") == (
        WaitRecord(2, 1, 5, 1, True, 7, 130),
        WaitRecord(1, 0, 4, 0, False, 7, 0),
    )


def test_shared_memory_that_cannot_be_written_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As for a user who is not root: to root every folder answers yes."""
    shared, temporary = tmp_path / "shm", tmp_path / "tmp"
    shared.mkdir()
    monkeypatch.setattr(hang, "_SHARED", shared)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert hang.report_folder() == shared
    monkeypatch.setattr(os, "access", lambda path, mode: path != shared or not mode & os.W_OK)
    assert hang.report_folder() == temporary
    monkeypatch.setattr(hang, "_SHARED", tmp_path / "nowhere")
    assert hang.report_folder() == temporary


class Seen:
    """Stands for the way to a card: keeps the job and runs nothing."""

    def run(self, job: Job, *_: object) -> Trouble:
        self.job = job
        return Trouble(Kind.OTHER, "not run", "")


@pytest.mark.parametrize("text", [PIPELINE, WITHOUT_WAITS], ids=["with waits", "without waits"])
@pytest.mark.parametrize("wanted", [True, False])
def test_kernels_that_take_a_report_are_given_one(text: str, wanted: bool) -> None:
    """Also those in which nothing waits: an argument too few is read from anywhere."""
    card = Seen()
    run(text, Request(card=CardRequest(report=wanted)), card)
    (launch,) = card.job.launches
    assert ("WaitReport report" in card.job.code) == wanted
    assert (launch.report_blocks > 0, bool(card.job.report)) == (wanted, wanted)


def test_the_report_has_a_record_a_thread_and_block(tmp_path: Path) -> None:
    _, program = lowered(TWO, {"M": 256, "N": 128, "K": 512})
    job = with_report(make_job(program, {}, tmp_path, "sm_90a"), tmp_path / "report", 0.25)
    assert (tmp_path / "report").stat().st_size == 4 * 384 * 32
    assert (job.launches[0].report_blocks, job.wait_limit) == (4, 0.25)


def test_the_paths_of_the_fullest_block_are_named() -> None:
    model, program = lowered(TWO, {"M": 256, "N": 128, "K": 512})
    first = program.unit.sites[0]
    records = [
        WaitRecord(1, 0, 0, 0, True, 3, 0),
        *(WaitRecord(2, 1, 4, 0, True, 2, thread) for thread in range(128, 384)),
        WaitRecord(1, 2, 3, 1, True, 2, 0),
    ]
    found, notes = hung_paths(model, program, records)
    assert [(each.path, each.event, each.slot, each.generation) for each in found] == [
        ("path p == 0", "empty", 2, 3),
        ("path p = 1", "full", 1, 4),
        ("path p = 2", "full", 1, 4),
    ]
    assert notes == ("kernel 'matmul' stands still in block 2 and 1 more",)
    assert found[0].span == first.span
    assert [debtor.path for debtor in found[0].owed_by] == ["path p = 1", "path p = 2"]
    assert all(debtor.stands == program.unit.sites[1].span for debtor in found[0].owed_by)


def test_records_that_nobody_can_have_written_are_left_out() -> None:
    model, program = lowered(TWO, {"M": 256, "N": 128, "K": 512})
    assert hung_paths(model, program, [WaitRecord(99, 0, 0, 0, True, 0, 0)]) == ((), ())


@pytest.mark.parametrize("state", [1, 2])
def test_a_stuck_kernel_is_told_in_the_simulators_words(state: int) -> None:
    """Both paths wait in their first round; the card's report is then the simulator's, word by word."""
    simulated = run(STUCK, Request(sizes=SIZES))
    assert simulated.result.verdict is Verdict.HANGS
    _, program = lowered(STUCK, SIZES)
    events = [site.event for site in program.unit.sites]
    waits = [f"{events.index('empty') + 1},0,0,0,{state},0,0"]
    waits += [f"{events.index('full') + 1},0,0,0,{state},0,{thread}" for thread in (128, 160, 255)]
    request = Request(sizes=SIZES, card=CardRequest(force=True, report=True, timeout=5.0))
    with parent("records", *waits) as card:
        told = run(STUCK, request, card)
    if state == 1:  # nobody gave up: the launch failed for another reason
        assert told.result.verdict is Verdict.CRASHED
        return
    assert told.result.verdict is Verdict.HANGS
    assert told.message == "stopped after 2 s"  # waits give up when 0.4 of the time is over
    assert told.result.hang == simulated.result.hang
    assert told.result.hang[0].owed_by.startswith("path")
    assert any(re.match(r"the static verdict agrees: credit flow fails", note) for note in told.notes)


def test_a_kernel_that_hangs_is_run_again_for_its_report() -> None:
    _, program = lowered(STUCK, SIZES)
    number = [site.event for site in program.unit.sites].index("empty") + 1
    request = Request(sizes=SIZES, card=CardRequest(force=True, timeout=0.3))
    with parent("records", f"{number},0,0,0,2,0,0") as card:
        told = run(STUCK, request, card)
    assert told.result.verdict is Verdict.HANGS
    assert [entry.path for entry in told.result.hang] == ["path p1 == 0"]


def test_a_hang_of_a_proved_kernel_is_a_contradiction() -> None:
    _, program = lowered(PIPELINE, SIZES)
    number = [site.event for site in program.unit.sites].index("empty") + 1
    with parent("records", f"{number},0,0,0,2,0,0") as card:
        told = run(PIPELINE, Request(sizes=SIZES, card=CardRequest(report=True, timeout=5.0)), card)
    assert told.result.verdict is Verdict.HANGS
    assert any(note.startswith("the static verdict does not agree (credit flow proved") for note in told.notes)


def test_a_kernel_with_flow_errors_needs_force() -> None:
    with parent("records") as card:
        told = run(STUCK, Request(sizes=SIZES, card=CardRequest()), card)
        assert card.child_pid is None
    assert told.result.verdict is Verdict.NOT_RUN
    assert told.message.startswith("its credit flow has an error, and it may hang: ")
    assert (told.offer, run_entry(told).offer) == ("force", "force")
    assert told.place is not None


@pytest.mark.parametrize("name", ["report", "full_generations", "read_timer", "WaitRecord"])
def test_names_of_the_program_come_first(name: str) -> None:
    """A parameter may be called as the report's own things are."""
    _, program = lowered(re.sub(r"\blhs\b", name, TWO), {"M": 256, "N": 128, "K": 512})
    assert compiled(program.unit.text, "sm_90a").cubin


@pytest.mark.parametrize("name", ["pipeline_1p2c.co", "persistent_1p2c.co", "matmul_ragged.co"])
def test_reporting_kernels_compile_without_spills(name: str) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    _, program = lowered(text, {"M": 256, "N": 256, "K": 256})
    made = compiled(program.unit.text, "sm_90a")
    assert "0 bytes spill stores, 0 bytes spill loads" in made.log
    assert "serializ" not in made.log
