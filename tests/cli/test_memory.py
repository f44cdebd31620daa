"""A command collects circles of dead objects seldom: what it makes lives to its end. The server does behind an answer,
and never where it would take long."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from croqc.cli.main import main
from croqc.service.check import check_text
from croqc.service.memory import collect_when_settled, settle


@pytest.fixture
def seldom() -> Iterator[None]:
    """As in the server."""
    before = gc.get_threshold()
    gc.collect()
    try:
        collect_when_settled()
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


class Circle:
    alive = 0

    def __init__(self) -> None:
        self.own = self
        Circle.alive += 1

    def __del__(self) -> None:
        Circle.alive -= 1


@pytest.mark.usefixtures("seldom")
def test_python_looks_at_what_came_up_when_it_is_told_to() -> None:
    """Where there is something worth it; whatever a text comes to does not make it look by itself."""
    Circle()
    settle()
    assert Circle.alive == 1
    kept = [[number] for number in range(20_000)]
    assert Circle.alive == 1
    settle()
    assert Circle.alive == 0
    Circle()
    kept += [[number] for number in range(1_000_000)]
    assert Circle.alive == 1
    gc.collect()
    assert Circle.alive == 0


@pytest.mark.usefixtures("seldom")
def test_much_is_never_gone_through_again() -> None:
    before = gc.get_freeze_count()
    kept = [[number] for number in range(60_000)]
    settle()
    assert gc.get_freeze_count() >= before + len(kept)
    assert gc.get_count()[0] < 1000


@pytest.mark.usefixtures("seldom")
@pytest.mark.parametrize("cut", [0, 1, 40])
@pytest.mark.parametrize("name", ["pipeline_course", "gemm_f16", "swap_s32", "reduce"])
def test_reading_makes_no_circles(name: str, cut: int) -> None:
    """Also of a text with mistakes: what is dead is freed at once."""
    text = Path(f"examples/{name}.co").read_text(encoding="utf-8")
    at = text.index("parallel")
    text = text[:at] + text[at + cut :]
    check_text(text)  # what is loaded for it has some
    gc.collect()
    report = check_text(text)
    assert report.functions
    assert gc.collect() == 0


def test_a_command_collects_seldom(capsys: pytest.CaptureFixture[str]) -> None:
    before = gc.get_threshold()
    try:
        gc.set_threshold(700, 10, 10)
        assert main(["explain"]) == 0
        assert gc.get_threshold()[0] >= 100 * 700
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
