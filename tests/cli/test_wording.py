"""One line, the right one: where pictures go, what a machine lacks, which run a row is of, how a number is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croqc.cli import card
from croqc.engines.gpu.faults import SIM, Kind, Trouble
from croqc.engines.gpu.parent import Parent
from croqc.engines.installed import install
from croqc.service.dump import STAGES
from tests.cli.conftest import Croq
from tests.rules.mending import EXAMPLES, example, second

COURSE = example("pipeline_course")
SHIFTED = second(COURSE, "stage = iv_k % MATMUL_STAGES", "stage = (iv_k + 1) % MATMUL_STAGES")
ADD = example("add")

ORDER_ALONE = "of the order alone, for indices see 'assumed-divisible'"

# --- pictures ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["svg", "html"])
def test_a_picture_is_told_with_its_verdict(croq: Croq, form: str) -> None:
    Path("k.co").write_text(COURSE)
    shown = croq("flow", f"--{form}", f"out.{form}", "k.co")
    assert (shown.status, shown.out) == (0, f"out.{form}: matmul: credit flow proved for every K; {ORDER_ALONE}\n")
    Path("k.co").write_text(SHIFTED)
    shown = croq("flow", f"--{form}", f"out.{form}", "k.co")
    assert (shown.status, shown.out) == (1, f"out.{form}: matmul: credit flow fails: 1 finding\n")


@pytest.mark.parametrize(("form", "start"), [("svg", "<svg"), ("html", "<!doctype html")])
def test_a_dash_is_standard_output(croq: Croq, form: str, start: str) -> None:
    Path("k.co").write_text(COURSE)
    shown = croq("flow", f"--{form}", "-", "k.co")
    assert shown.out.lower().startswith(start)
    assert not Path("-").exists()
    assert croq("flow", f"--{form}", "out", "k.co").status == 0
    assert Path("out").read_text() == shown.out


# --- what is no pipeline -----------------------------------------------------------------------------


def test_a_kernel_without_a_pipeline_has_one_name(croq: Croq) -> None:
    Path("k.co").write_text(ADD)
    flow, verified = croq("flow", "k.co").out, croq("verify", "k.co").out
    said = "no events; copies and buffers proved"
    assert re.search(rf"add: {said}\n  the block +as many threads as the sizes say\n", flow)
    assert verified.splitlines()[1].endswith(said)


def test_a_kernel_with_errors_was_not_analysed(croq: Croq) -> None:
    Path("k.co").write_text(COURSE.replace("wait full[stage];", "wait full[stage]"))
    assert "not analysed: it has errors" in croq("verify", "k.co").out


def test_a_swap_is_judged_in_both(croq: Croq) -> None:
    Path("k.co").write_text(example("swap_f16"))
    for command in ("flow", "verify"):
        assert "no events; copies and buffers proved for every K\n" in croq(command, "k.co").out


def test_rows_name_their_run(croq: Croq) -> None:
    Path("k.co").write_text(COURSE)
    rows = croq("verify", "k.co").out.splitlines()
    assert [row.split("  ")[0] for row in rows[1:]] == [
        "k.co: matmul 'small' M=128 K=256 N=128",
        "k.co: matmul 'large' M=512 K=512 N=512",
    ]


# --- what a machine lacks ----------------------------------------------------------------------------


NO_DRIVER = "there is no NVIDIA driver here, and CuPy is not installed; 'croq doctor' tells what to install"


class _NoPackage:
    def card(self) -> Trouble:
        return Trouble(Kind.IMPORT, "CuPy is not installed", f"{install('gpu')}; {SIM}")


@pytest.mark.parametrize(
    ("driver", "sim", "line"),
    [
        (False, True, f"{NO_DRIVER}; {SIM}"),
        (False, False, NO_DRIVER),
        (True, True, f"CuPy is not installed; {install('gpu')}; {SIM}"),
        (True, False, f"CuPy is not installed; {install('gpu')}"),
    ],
)
def test_without_a_driver_no_package_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, driver: bool, sim: bool, line: str
) -> None:
    monkeypatch.setattr("croqc.service.machine.has_driver", lambda: driver)
    parent: Parent = _NoPackage()  # type: ignore[assignment]
    assert card.no_card(parent, sim) == line


# --- numbers and help --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("K=1e3", "an integer of at least 1: write K=1000, without point or exponent"),
        ("K=256.0", "an integer of at least 1: write K=256, without point or exponent"),
        ("K=1.5", "an integer of at least 1"),
        ("K=0", "an integer of at least 1"),
    ],
)
def test_a_size_is_written_in_digits(croq: Croq, given: str, said: str) -> None:
    Path("k.co").write_text(COURSE)
    shown = croq("run", "-D", given, "k.co")
    assert f"dimension 'K' must be {said}\n" in shown.out + shown.err
    assert shown.status != 0


def test_help_says_what_a_definition_is_and_what_is_written(croq: Croq) -> None:
    for name in ("check", "fix", "migrate", "dump"):
        assert "sizes: see run, verify, profile, flow, cuda" in " ".join(croq(name, "--help").out.split())
    for name in ("run", "verify", "profile", "flow", "cuda"):
        assert "or give a size or a scalar parameter its value" in " ".join(croq(name, "--help").out.split())
    assert "Format .co files, in place." in croq("fmt", "--help").out


# --- what a stage made -------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", [name for name in STAGES if name not in ("tokens", "cuda")])
def test_a_dump_shows_no_python(croq: Croq, stage: str) -> None:
    """No `Name(field=...)`, no `<Enum.MEMBER: ...>`, no text in single quotes."""
    for name in ("pipeline_course", "swap_f16", "add"):
        shown = croq("dump", "--after", stage, EXAMPLES / f"{name}.co").out
        assert shown
        assert re.findall(r"[A-Z]\w*\(\w+=|<[A-Z]\w*\.|'\w+'|\bInt\(|True|False|None", shown) == []
