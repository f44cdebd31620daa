"""Profiles as the server's process makes them, with a child that stands in for the card's, or without a card."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croqc.engines.gpu import parent as parents
from croqc.service.check import check_text
from croqc.service.flow_page import page_of
from croqc.service.json_text import to_compact_json, to_data
from croqc.service.profile import ProfileRequest, profile_file
from croqc.service.profile_page import profile_page
from croqc.service.profile_result import ProfileResult
from croqc.service.run_plan import CardRequest, Request
from croqc.service.settings import NO_SETTINGS
from croqls.workers import runs
from croqls.workers.orders import News, Order, Outcome, Text
from croqls.workers.tasks import Desk, perform
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.cli.test_protocol import validate
from tests.codegen.test_probes import probed
from tests.engines.children import command
from tests.engines.probe_bytes import Ring, file_of

LARGE = {"M": 512, "N": 512, "K": 512}
Child = Callable[..., None]


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Child:
    """Chooses the child that stands in for the card's, on a machine with a driver."""
    monkeypatch.setattr(runs, "has_driver", lambda: True)
    monkeypatch.setattr("croqc.service.machine.has_driver", lambda: True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))

    def choose(manner: str, *words: object) -> None:
        monkeypatch.setattr(parents, "child_command", lambda cache: command(manner, *words))

    return choose


@pytest.fixture
def records(child: Child, tmp_path: Path) -> Child:
    """A child whose kernel leaves the records of a ring of two stages, eight turns, copies of 800 ns."""

    def choose() -> None:
        probes = probed(check_text(PIPELINE), sizes=LARGE).kernels[0].probes
        assert probes is not None
        lanes = [lane for block in (0, 63) for lane in Ring(probes, 2, 8, 50, 800, 300).lanes(block)]
        (tmp_path / "left").write_bytes(file_of(lanes))
        child("profile", 100e-6, 108e-6, tmp_path / "left")

    return choose


def outcome(text: str = PIPELINE, **options: Any) -> Outcome:
    *news, last = perform(Desk(), Order("profile", Text("k", text, "k.co", NO_SETTINGS), options))
    assert isinstance(last, Outcome)
    assert all(isinstance(one, News) for one in news)
    return last


def test_a_profile_is_that_of_the_command_line_with_what_its_page_shows(records: Child) -> None:
    records()
    found = outcome(entry="matmul").data
    shown = found.pop("flow")
    validate("profile", found)
    with parents.card_parent() as card:
        wanted = ProfileRequest(Request("matmul", card=CardRequest()))
        done = list(profile_file(check_text(PIPELINE, path="k.co"), wanted, lambda arch: pytest.fail(arch), card))
    assert found == to_data(ProfileResult(1, tuple(one.entry for one in done)))
    assert profile_page(done) == page_of(to_compact_json(shown))
    (flow,) = shown["flows"]
    assert [run["name"] for run in flow["recorded"]] == ["Measured: block 0", "Measured: block 63"]


def test_sizes_are_taken_and_names_that_are_not_there_are_told(records: Child) -> None:
    records()
    assert outcome(defines={"K": "256"}).data["profiles"][0]["sizes"] == {"M": 512, "N": 512, "K": 256}
    assert "there is no function 'matmull'; did you mean 'matmul'?" in outcome(entry="matmull").refused


def test_a_kernel_that_may_hang_is_not_started_without_force(child: Child) -> None:
    child("hangs")
    text = PIPELINE.replace(BOOTSTRAP, "")
    (entry,) = outcome(text).data["profiles"]
    assert entry["kernels"] == [] and "its credit flow has an error" in entry["message"]
    (entry,) = outcome(text, force=True, timeout=0.2).data["profiles"]
    assert "still running when its time was up" in entry["message"]


def test_without_a_driver_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "has_driver", lambda: False)
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("started"))
    assert outcome() == Outcome(
        refused="there is no NVIDIA driver here; 'croq doctor' tells what to install", no_card=True
    )


def test_a_card_that_cannot_be_used_is_told(child: Child) -> None:
    child("import", "cupy", "x")
    assert "CuPy" in outcome().refused and outcome().no_card


def test_elsewhere_than_on_linux_no_other_engine_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    said = outcome().refused
    assert "on Linux" in said and "simulator" not in said
    assert not outcome().no_card  # no doctor helps there
