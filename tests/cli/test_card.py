"""`croq run --engine gpu`, `verify` and `doctor` as a person types them, with a fake child or without a card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from croqc.engines.gpu import parent as parents
from croqc.engines.installed import install
from croqc.service import machine
from tests.cli.conftest import Croq
from tests.cli.seeds import BOOTSTRAP, EXAMPLES, PIPELINE
from tests.cli.test_protocol import validate
from tests.engines.children import command

ADD = (EXAMPLES / "add.co").read_text(encoding="utf-8")


def no_cupy() -> str:
    """The way out fits the installation and the present folder: asked where the command runs."""
    return f"CuPy is not installed; {install('gpu')}"


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> object:
    """Chooses the child that stands in for the card's, on a machine with a driver."""
    monkeypatch.setattr(machine, "has_driver", lambda: True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))

    def choose(manner: str, *words: object) -> None:
        monkeypatch.setattr(parents, "child_command", lambda cache: command(manner, *words))

    return choose


def test_run(croq: Croq, child: object) -> None:
    child("add")  # type: ignore[operator]
    Path("k.co").write_text(ADD, encoding="utf-8")
    outcome = croq("run", "--engine", "gpu", "--repeat", 3, "k.co")
    assert outcome.status == 0
    first, timing, share, *_ = outcome.out.splitlines()
    assert first == "k.co: add M=33 N=65: verified (gpu, sm_90a, seed 0, compiled in 0.25 s)"
    assert timing == "  2000.0 us on Fake (median of 3, best 1000.0 us), 0 GB/s (each array once)"
    assert share == "  less than 1 % of this card's 4000 GB/s (its copy), measured 2026-01-02"
    assert "  | hello" in outcome.out


def test_the_json_of_a_run(croq: Croq, child: object) -> None:
    child("add")  # type: ignore[operator]
    Path("k.co").write_text(ADD, encoding="utf-8")
    result = json.loads(croq("run", "--engine", "gpu", "--json", "k.co").out)
    validate("run", result)
    (run,) = result["runs"]
    assert (run["engine"], run["verdict"], run["time"], run["timing"]["card"]) == ("gpu", "verified", 0.002, "Fake")


def test_run_without_a_card_says_so_in_one_line(croq: Croq, child: object) -> None:
    child("import", "cupy", "x")  # type: ignore[operator]
    Path("k.co").write_text(ADD, encoding="utf-8")
    outcome = croq("run", "--engine", "gpu", "k.co")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == f"croq: {no_cupy()}; '--engine sim' runs it in the simulator\n"
    result = json.loads(croq("run", "--engine", "gpu", "--json", "k.co").out)
    validate("run", result)
    assert [run["verdict"] for run in result["runs"]] == ["not-run"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--timeout", 3), "--timeout is for --engine gpu"),
        (("--force",), "--force is for --engine gpu"),
        (("--cold",), "--cold is for --engine gpu"),
        (("--remeasure",), "--remeasure is for --engine gpu"),
        (("--engine", "gpu", "--schedules", 3), "--schedules and --max-steps are the simulator's"),
        (("--engine", "gpu", "--timeout", 0), "must be more than 0 seconds"),
        (("--engine", "gpu", "--timeout", "inf"), "must be more than 0 seconds"),
        (("--engine", "tpu"), "'tpu' is no choice for --engine"),
    ],
)
def test_options_of_the_other_engine(croq: Croq, child: object, words: tuple[object, ...], said: str) -> None:
    child("add")  # type: ignore[operator]
    Path("k.co").write_text(ADD, encoding="utf-8")
    outcome = croq("run", *words, "k.co")
    assert outcome.status == 2
    assert said in outcome.err


def test_flow_errors_need_force(croq: Croq, child: object) -> None:
    child("hangs")  # type: ignore[operator]
    Path("k.co").write_text(PIPELINE.replace(BOOTSTRAP, ""), encoding="utf-8")
    outcome = croq("run", "--engine", "gpu", "k.co")
    assert outcome.status == 1
    assert "its credit flow has an error, and it may hang" in outcome.out
    assert "\n  --force runs it all the same\n" in outcome.out
    forced = croq("run", "--engine", "gpu", "--force", "--timeout", 0.2, "k.co")
    assert "hangs (gpu" in forced.out


NO_EVENTS = "no events; copies and buffers proved"


def test_a_kernel_without_events_is_told_alike_everywhere(croq: Croq) -> None:
    Path("k.co").write_text(ADD, encoding="utf-8")
    assert f"k.co: add: {NO_EVENTS}" in croq("check", "k.co").out.splitlines()
    told = croq("flow", "k.co").out.splitlines()
    assert told[0].endswith(f": add: {NO_EVENTS}")
    assert json.loads(croq("flow", "k.co", "--json").out)["flows"][0]["strength"] == NO_EVENTS


def test_verify_sets_the_three_side_by_side(croq: Croq, child: object) -> None:
    child("add")  # type: ignore[operator]
    Path("k.co").write_text(ADD, encoding="utf-8")
    outcome = croq("verify", "k.co")
    assert outcome.status == 0
    head, row = outcome.out.splitlines()
    assert head.split() == ["kernel", "simulator", "card", "static", "verdict"]
    assert row.split() == ["k.co:", "add", "M=33", "N=65", "verified", "verified", *NO_EVENTS.split()]


def test_verify_without_a_card(croq: Croq, child: object) -> None:
    child("import", "cupy", "x")  # type: ignore[operator]
    Path("k.co").write_text(PIPELINE, encoding="utf-8")
    outcome = croq("verify", "k.co")
    assert outcome.status == 0
    assert all(line.split()[-16:-14] == ["verified", "-"] for line in outcome.out.splitlines()[1:])
    proved = "credit flow proved for every K; of the order alone, for indices see 'assumed-divisible'"
    assert outcome.out.count(proved) == outcome.out.count("k.co: matmul")
    assert outcome.err == f"no card: {no_cupy()}\n"
    result = json.loads(croq("verify", "--json", "k.co").out)
    validate("verify", result)
    assert {item["gpu"] is None for item in result["verified"]} == {True}


def test_verify_of_a_stuck_kernel(croq: Croq, child: object) -> None:
    child("hangs")  # type: ignore[operator]
    Path("k.co").write_text(PIPELINE.replace(BOOTSTRAP, ""), encoding="utf-8")
    outcome = croq("verify", "-D", "M=128", "-D", "N=128", "-D", "K=512", "--json", "k.co")
    assert outcome.status == 1
    result = json.loads(outcome.out)
    validate("verify", result)
    for item in result["verified"]:
        assert (item["sim"]["verdict"], item["gpu"]["verdict"], item["static"]["verdict"]) == (
            "hangs",
            "not-run",
            "fails",
        )
        assert (item["ok"], item["agree"]) == (False, True)


def test_verify_shows_a_contradiction(croq: Croq, child: object) -> None:
    child("fails", "crashed", "an access to an illegal address")  # type: ignore[operator]
    Path("k.co").write_text(ADD, encoding="utf-8")
    outcome = croq("verify", "k.co")
    assert outcome.status == 1
    assert "  gpu: kernel 'add' crashed on the card: an access to an illegal address" in outcome.out
    assert "  they do not agree" in outcome.out


def test_doctor(croq: Croq, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "PROBE", "print('{}')")
    monkeypatch.setenv("PATH", "")
    outcome = croq("doctor")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert any(line.split()[:2] == ["missing", "CuPy"] for line in lines)
    assert lines[-1] == "kernels cannot run on a card here; the simulator works: croq run --engine sim"
    result = json.loads(croq("doctor", "--json").out)
    validate("doctor", result)
    assert result["ready"] is False
