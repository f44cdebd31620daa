"""What a card reaches at most: measured on a stub of CuPy, kept by card and driver, and told as shares."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from croqc.cli.run_report import report_lines
from croqc.engines.gpu.parent import Clocks, Parent
from croqc.engines.gpu.protocol import Answer
from croqc.runs.report import Ceiling, RunResult, Timing, Verdict
from croqc.service.run import RunReport
from tests.engines.children import JOB, on_stub, parent
from tests.engines.test_child import job_in
from tests.engines.test_run_on_card import ADD, run

Card = Callable[[str], Parent]


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Card:
    """The real child on a stub of CuPy, in which any number of launches takes 2 ms."""

    def make(what: str = "") -> Parent:
        return on_stub(monkeypatch, tmp_path / "kernels", what)

    return make


def measured(way: Parent, folder: Path, how: str = "kept", repeat: int = 1) -> Ceiling | None:
    answer = way.run(job_in(folder, repeat=repeat, ceiling=how))
    assert isinstance(answer, Answer), answer
    return answer.ceiling


COPY = 2 * (1 << 20) / 0.002 / 1e9  # an eighth of the stub's 8 MiB, read and written
BLAS = 2 * 8192**3 * 5 / 0.002 / 1e12  # five products back to back


def test_it_is_measured_once_for_a_card_and_driver(card: Card, tmp_path: Path) -> None:
    with card("") as way:
        found = measured(way, tmp_path / "job")
        assert found is not None
        assert (found.gigabytes, found.tflops) == (pytest.approx(COPY), pytest.approx(BLAS))
        assert len(found.measured) == len("2026-01-02")
        (kept,) = (tmp_path / "kernels").glob("ceiling-*.json")
        assert kept.name.startswith(f"ceiling-{bytes(range(16)).hex()}-")
        kept.write_text(json.dumps({"gigabytes": 4000, "tflops": 790, "measured": "2026-01-02"}))
        assert measured(way, tmp_path / "job") == Ceiling(4000.0, 790.0, "2026-01-02")
        assert measured(way, tmp_path / "job", "anew") == found
        assert measured(way, tmp_path / "job") == found
        assert list((tmp_path / "kernels").glob("*.new")) == []


def test_only_timed_runs_measure(card: Card, tmp_path: Path) -> None:
    with card("") as way:
        assert measured(way, tmp_path / "job", repeat=0) is None
        assert measured(way, tmp_path / "job", how="") is None
    assert list((tmp_path / "kernels").glob("ceiling-*")) == []


def test_without_a_blas_the_copy_alone_is_measured(card: Card, tmp_path: Path) -> None:
    """And the rest as soon as there is one."""
    with card("bare-blas") as way:
        found = measured(way, tmp_path / "job")
        assert found is not None and (found.tflops, found.gigabytes) == (0.0, pytest.approx(COPY))
    with card("") as way:
        found = measured(way, tmp_path / "job")
    assert found is not None and found.tflops == pytest.approx(BLAS)


def test_a_run_does_not_fail_for_it(card: Card, tmp_path: Path) -> None:
    """Here the stub has no room for a copy."""
    with card("no-copy") as way:
        answer = way.run(job_in(tmp_path / "job", repeat=1, ceiling="anew"))
    assert isinstance(answer, Answer)
    assert (answer.times, answer.ceiling) == ((0.002,), None)
    assert answer.notes == ("what the card reaches could not be measured: OutOfMemoryError: 1048576 bytes",)


def test_a_card_that_fails_in_it_gets_a_new_child(card: Card, tmp_path: Path) -> None:
    """The stub's product ends with an error of CUDA, after which a card answers nothing. Nothing is kept of it."""
    with card("broken-blas") as way:
        answer = way.run(job_in(tmp_path / "job", repeat=1, ceiling="anew"))
        assert way.child_pid is None
    assert isinstance(answer, Answer)
    assert (answer.stage, answer.times, answer.ceiling) == ("done", (0.002,), None)
    assert answer.notes == ("what the card reaches could not be measured: the card reports an error: error 719",)
    assert list((tmp_path / "kernels").glob("ceiling-*")) == []


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ("late", "it took too long to measure what the card reaches"),
        ("dies", "the process for the card ended with status 3 while it was to measure what the card reaches"),
    ],
)
def test_a_measurement_without_end_costs_no_run(end: str, why: str) -> None:
    with parent("add", end, clocks=Clocks(start=20.0, compile=20.0, data=1.0)) as way:
        report = run(ADD, way, rounds=3)
        assert way.child_pid is None
        assert run(ADD, way).result.verdict is Verdict.VERIFIED
    assert report.result.verdict is Verdict.VERIFIED
    assert report.result.timing is not None
    assert (report.result.timing.rounds, report.result.timing.ceiling) == (3, None)
    assert f"what the card reaches could not be measured: {why}" in report.notes


@pytest.mark.parametrize("text", ["", "[]", '{"gigabytes": "much"}', '{"gigabytes": 1, "tflops": 1}'])
def test_a_file_of_nonsense_is_measured_again(card: Card, tmp_path: Path, text: str) -> None:
    with card("") as way:
        first = measured(way, tmp_path / "job")
        (kept,) = (tmp_path / "kernels").glob("ceiling-*.json")
        kept.write_text(text)
        assert measured(way, tmp_path / "job") == first
        assert json.loads(kept.read_text())["measured"] == (first.measured if first else "")


def test_the_parent_asks_for_it_with_timed_rounds_alone() -> None:
    with parent("add") as way:
        timed, plain = run(ADD, way, rounds=3), run(ADD, way)
    assert timed.result.timing is not None and plain.result.timing is None
    assert timed.result.timing.ceiling == Ceiling(4000.0, 790.0, "2026-01-02")


def test_it_travels_in_a_line() -> None:
    answer = Answer("done", ceiling=Ceiling(1.5, 2.5, "2026-01-02"))
    assert Answer.of_json(json.loads(json.dumps(answer.to_json()))) == answer
    with pytest.raises(TypeError):
        Answer.of_json({"stage": "done", "ceiling": {"gigabytes": 1}})
    assert replace(JOB, ceiling="anew").to_json()["ceiling"] == "anew"


def shown(operations: int, moved: int, ceiling: Ceiling | None) -> list[str]:
    timing = Timing("H200", 20, 0.001, 0.001, operations, moved, ceiling)
    result = RunResult(Verdict.VERIFIED, "gpu", "sm_90a", (), 0, 0, timing=timing)
    return report_lines(RunReport("k.co", "f", "", result))[2:]


@pytest.mark.parametrize(
    ("operations", "moved", "ceiling", "lines"),
    [
        (
            324 * 10**9,
            10**9,
            Ceiling(4000.0, 790.0, "2026-01-02"),
            [
                "  41 % of this card's 790 TFLOP/s (cuBLAS 8192^3, f16), "
                "25 % of this card's 4000 GB/s (its copy), measured 2026-01-02"
            ],
        ),
        (0, 10**6, Ceiling(4000.0, 790.0, "d"), ["  less than 1 % of this card's 4000 GB/s (its copy), measured d"]),
        (10**12, 10**9, Ceiling(1000.0, 0.0, "d"), ["  100 % of this card's 1000 GB/s (its copy), measured d"]),
        (10**12, 10**9, None, []),
        (0, 0, Ceiling(1000.0, 790.0, "d"), []),
    ],
)
def test_shares_are_told(operations: int, moved: int, ceiling: Ceiling | None, lines: list[str]) -> None:
    assert shown(operations, moved, ceiling) == lines
