"""A run on a card, with a child that adds without one: verdicts, figures, and that nothing is left behind."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croqc.engines import nvrtc
from croqc.engines.gpu import run as card_run
from croqc.engines.gpu.compile import CACHE_BYTES, _prune, compiled
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.run import spill_notes
from croqc.runs.report import Verdict
from croqc.service import run_card
from croqc.service.check import FileReport, check_text
from croqc.service.json_text import to_json
from croqc.service.lowering import program_for
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import CardRequest, Request
from croqc.service.run_result import run_result
from tests.engines.children import parent
from tests.rules.breaking import fail, keep_going

ADD = (Path(__file__).parents[2] / "examples" / "add.co").read_text(encoding="utf-8")
PLAIN = "\n".join(line for line in ADD.splitlines() if not line.startswith("// croq: expect"))


def recheck(arch: str) -> FileReport:
    raise AssertionError("no file here asks for another architecture")


def run(text: str, card: Parent, **options: Any) -> RunReport:
    request = Request(sizes={"M": 3, "N": 5}, card=CardRequest(**options))
    return next(iter(run_file(check_text(text), request, recheck, None, card)))


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders of runs go."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(card_run, "report_folder", lambda: tmp_path)
    return tmp_path


def test_a_right_result_is_verified(scratch: Path) -> None:
    with parent("add") as card:
        report = run(ADD, card, rounds=3)
    result = report.result
    assert (result.verdict, result.engine) == (Verdict.VERIFIED, "gpu")
    assert (result.time, result.compile_time) == (0.002, 0.25)
    assert report.prints == ("hello\n",)
    assert result.timing is not None
    assert (result.timing.card, result.timing.rounds, result.timing.best) == ("Fake", 3, 0.001)
    assert (result.timing.operations, result.timing.bytes) == (0, 3 * 3 * 5 * 4)
    assert result.timing.gigabytes == pytest.approx(3 * 3 * 5 * 4 / 0.002 / 1e9)
    assert list(scratch.iterdir()) == []


def test_a_wrong_result_is_judged_like_the_simulators(scratch: Path) -> None:
    with parent("add") as card:
        report = run(ADD.replace("result ~= a + b", "result ~= a - b"), card)
    assert report.result.verdict is Verdict.WRONG
    assert report.result.expectations[0].differing > 0


def test_without_an_expectation_the_simulator_makes_the_reference(scratch: Path) -> None:
    with parent("add") as card:
        assert run(PLAIN, card).result.verdict is Verdict.CONSISTENT


def test_a_reference_that_takes_too_long_is_not_begun(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_card, "REFERENCE_ELEMENTS", 10)
    with parent("add") as card:
        report = run(PLAIN, card)
        assert run(ADD, card).result.verdict is Verdict.VERIFIED
    assert report.result.verdict is Verdict.NOT_RUN
    assert "write '// croq: expect" in report.message


@pytest.mark.parametrize(
    ("manner", "words", "verdict", "said"),
    [
        ("fails", ("crashed", "an access to an illegal address"), Verdict.CRASHED, "kernel 'add' crashed on the card"),
        ("aborts", (), Verdict.CRASHED, "kernel 'add' ended the process that ran it"),
        ("fails", ("memory", "x"), Verdict.NOT_RUN, "use smaller sizes"),
        ("fails", ("compiler", "line 3"), Verdict.NOT_RUN, "a mistake of ours"),
        ("import", ("cupy", "x"), Verdict.NOT_RUN, "'--engine sim' runs it in the simulator"),
        ("garbage", (), Verdict.NOT_RUN, "what is no answer"),
        ("good", (), Verdict.NOT_RUN, "did not come back whole"),
    ],
)
def test_each_end_of_a_run(scratch: Path, manner: str, words: tuple[str, ...], verdict: Verdict, said: str) -> None:
    with parent(manner, *words) as card:
        report = run(ADD, card)
    assert (report.result.verdict, said in report.message) == (verdict, True), report.message
    assert list(scratch.iterdir()) == []


def test_a_kernel_without_events_that_hangs(scratch: Path) -> None:
    with parent("hangs") as card:
        report = run(ADD, card, timeout=0.2)
    assert report.result.verdict is Verdict.HANGS
    assert "still running when its time was up" in report.message
    assert list(scratch.iterdir()) == []


def test_the_log_of_a_compiler_is_shown(scratch: Path) -> None:
    with parent("fails", "compiler", "kernel.cu(7): error: no") as card:
        assert "kernel.cu(7): error: no" in run(ADD, card).notes


def test_what_the_compiler_says_of_the_files_own_code_is_told_at_its_line(scratch: Path) -> None:
    text = "\n__device__ int bad() { return nowhere; }\n" + ADD
    report = check_text(text)
    function = report.functions[0]
    assert function.analysis is not None
    program = program_for(report, function, function.analysis.model, {"M": 3, "N": 5}, waits=False)
    number = next(at for at, line in enumerate(program.unit.lines, 1) if "nowhere" in line.text)
    with parent("fails", "compiler", f'kernel.cu({number}): error: identifier "nowhere" is undefined') as card:
        told = run(text, card)
    assert told.message.endswith('line 2: the C++ compiler does not take this: identifier "nowhere" is undefined')


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    with parent("add") as card:
        report = run(ADD, card)
    assert report.result.verdict is Verdict.NOT_RUN
    assert "set TMPDIR" in report.message


def test_a_run_without_report_needs_no_shared_memory(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_run, "report_folder", lambda: scratch / "nowhere")
    with parent("add") as card:
        assert run(ADD, card).result.verdict is Verdict.VERIFIED
        report = run(ADD, card, report=True)
    assert report.result.verdict is Verdict.NOT_RUN
    assert "set TMPDIR" in report.message


def test_a_construct_that_is_not_lowered_is_named_at_its_place(scratch: Path) -> None:
    text = "// croq: expect y == 1\n__co__ void f(global s32 [N] y) {\n"
    text += "  parallel i by N : block {\n    y.at(i) = 1;\n  }\n"
    text += '  if (N > 3) {\n    __cpp__("std::puts(\\"here\\");");\n  }\n}\n'
    with parent("add") as card:
        request = Request(sizes={"N": 4}, card=CardRequest())
        report = next(iter(run_file(check_text(text), request, recheck, None, card)))
    assert report.result.verdict is Verdict.NOT_RUN
    assert report.message.startswith("the card cannot run this: C++ of the host part ")
    assert report.place is not None and report.place[0].line == 6


def test_a_lowering_that_fails_is_told(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_going(monkeypatch)
    monkeypatch.setattr(run_card, "program_for", fail)
    with parent("add") as card:
        report = run(ADD, card)
    assert report.result.verdict is Verdict.NOT_RUN
    assert report.message.startswith("the lowering failed (ZeroDivisionError at breaking.py:")
    assert "please report it" in report.message


def test_the_json_of_a_run_holds_the_figures(scratch: Path) -> None:
    with parent("add") as card:
        (data,) = json.loads(to_json(run_result([run(ADD, card, rounds=3)])))["runs"]
    assert data["timing"] == {
        "card": "Fake", "rounds": 3, "median": 0.002, "best": 0.001, "operations": 0, "bytes": 180,
        "tflops": 0.0, "gbps": pytest.approx(0.00009),
        "ceiling": {"gbps": 4000.0, "tflops": 790.0, "measured": "2026-01-02"},
    }  # fmt: skip
    assert data["compileTime"] == 0.25


def test_a_cache_that_cannot_be_written_is_said_once_and_harmless(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code = 'extern "C" __global__ void k() {}\n'
    made = compiled(code, "sm_90a", tmp_path / "file" / "kernels")
    assert made.cubin and "are not kept" in made.trouble
    kept = compiled(code, "sm_90a", tmp_path / "kernels")
    again = compiled(code, "sm_90a", tmp_path / "kernels")
    assert (kept.trouble, kept.cached, again.cached, again.cubin) == ("", False, True, kept.cubin)


def test_the_cache_loses_what_was_used_least_recently(tmp_path: Path) -> None:
    import os

    for number in range(4):
        path = tmp_path / f"{number}.cubin"
        path.write_bytes(b"x" * 10)
        path.with_suffix(".log").write_text("")
        os.utime(path, (1000 + number, 1000 + number))
    _prune(tmp_path, 25)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2.cubin", "2.log", "3.cubin", "3.log"]
    assert CACHE_BYTES == 2**30


@pytest.mark.parametrize(
    "damage", [lambda good: good[: len(good) // 2], lambda good: bytes(len(good)), lambda good: b""]
)
def test_a_damaged_file_in_the_cache_is_compiled_anew(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    """As a power cut or a full disk leaves it."""
    code = 'extern "C" __global__ void k(int* x) { x[threadIdx.x] = 1; }\n'
    good = compiled(code, "sm_90a", tmp_path).cubin
    (path,) = tmp_path.glob("*.cubin")
    path.write_bytes(damage(good))
    again = compiled(code, "sm_90a", tmp_path)
    assert (again.cached, again.cubin) == (False, good)
    path.with_suffix(".log").write_text("of another time")
    assert not compiled(code, "sm_90a", tmp_path).cached
    assert compiled(code, "sm_90a", tmp_path).cached


def test_the_cache_loses_what_killed_processes_have_left(tmp_path: Path) -> None:
    import os

    for name in ("a.cubin.17", "a.log.17", "b.cubin.18"):
        (tmp_path / name).write_bytes(b"x")
    os.utime(tmp_path / "a.cubin.17", (1000, 1000))
    os.utime(tmp_path / "a.log.17", (1000, 1000))
    _prune(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["b.cubin.18"]


def test_other_headers_of_cuda_are_another_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cuda_fp16.h").write_text("struct half {};\n")
    monkeypatch.setattr(nvrtc, "headers", lambda: str(tmp_path))
    code = '#include <cuda_fp16.h>\nextern "C" __global__ void k() {}\n'
    assert not compiled(code, "sm_90a", tmp_path / "kept").cached
    assert compiled(code, "sm_90a", tmp_path / "kept").cached
    (tmp_path / "cuda_fp16.h").write_text("struct half { short bits; };\n")
    assert not compiled(code, "sm_90a", tmp_path / "kept").cached


def test_registers_that_do_not_suffice_are_noted_by_kernel() -> None:
    log = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'wide' for 'sm_90a'
ptxas info    : Function properties for wide
    48 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads
ptxas info    : Function properties for slim
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""
    (note,) = spill_notes(log)
    assert note.startswith("kernel 'wide' has too few registers: each thread spills 40 bytes and loads 44;")
