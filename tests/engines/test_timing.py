"""How a run is timed: what the card is asked for, in which order, on a stub of CuPy that logs it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.protocol import Answer
from tests.engines.children import on_stub
from tests.engines.test_child import job_in

Card = Callable[[str], Parent]


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Card:
    def make(what: str) -> Parent:
        return on_stub(monkeypatch, tmp_path / "kernels", what)

    return make


def asked(way: Parent, folder: Path, cold: bool) -> str:
    """A letter for each fill of 256 MiB, launch and event, in order; the first run is the first launch."""
    answer = way.run(job_in(folder, repeat=3, cold=cold))
    assert isinstance(answer, Answer), answer
    assert answer.times == (0.002,) * 3
    assert way._child is not None
    lines = re.findall(r"^(fill 256 MiB|launch|event)$", way._child._log(), re.MULTILINE)
    return "".join(line[0] for line in lines)


def test_rounds_follow_each_other_behind_a_head_start(card: Card, tmp_path: Path) -> None:
    """Five rounds of one kernel: the host needs 5 * 3 * 20 us to ask for them, ten fills take longer."""
    with card("") as way:
        assert asked(way, tmp_path / "job", cold=False) == "l" + 10 * "f" + "ll" + 3 * "ele"


def test_cold_rounds_are_behind_a_fill_each(card: Card, tmp_path: Path) -> None:
    with card("") as way:
        assert asked(way, tmp_path / "job", cold=True) == "l" + "ll" + 3 * "fele"


def test_a_card_without_room_goes_without_the_head_start(card: Card, tmp_path: Path) -> None:
    """But cold caches cannot be had there."""
    with card("small") as way:
        assert asked(way, tmp_path / "job", cold=False) == "l" + "ll" + 3 * "ele"
        found = way.run(job_in(tmp_path / "job", repeat=3, cold=True))
    assert isinstance(found, Trouble) and found.kind is Kind.MEMORY
