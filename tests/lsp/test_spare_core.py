"""When the verdict process is asked before the first list of an edit, and when behind it."""

from __future__ import annotations

import time

import pytest

from croqls.lsp.publish import publish
from croqls.lsp.serve import make_server
from croqls.lsp.spare_core import SpareCore
from tests.cli.seeds import PIPELINE

SMOOTH, HELD_UP = (0.0102, 0.0100), (0.0200, 0.0100)  # seconds, and those of a processor


def noted(core: SpareCore, *stretches: tuple[float, float]) -> list[bool]:
    """What is thought behind each of these stretches of work."""
    found = []
    for stretch in stretches:
        core.note(*stretch)
        found.append(core.is_there)
    return found


def test_a_core_is_free_once_a_few_stretches_of_work_went_smoothly() -> None:
    core = SpareCore()
    assert not core.is_there
    assert noted(core, SMOOTH, SMOOTH, SMOOTH, SMOOTH, SMOOTH) == [False, False, False, True, True]
    assert noted(core, HELD_UP) == [False]


def test_it_is_tried_less_often_each_time_that_it_is_gone() -> None:
    core = SpareCore()
    waits = []
    for _ in range(7):
        waits.append(1 + noted(core, *[SMOOTH] * 100).index(True))
        assert noted(core, HELD_UP, HELD_UP) == [True, False]
    assert waits == [4, 8, 16, 32, 64, 64, 64]


def test_one_hitch_in_many_stretches_is_none() -> None:
    """A second one soon behind it is more, and so is one before there were many."""
    core = SpareCore()
    assert all(noted(core, *[SMOOTH] * 20, HELD_UP, *[SMOOTH] * 16, HELD_UP)[3:])  # sixteen behind the first four
    assert noted(core, *[SMOOTH] * 15, HELD_UP)[-2:] == [True, False]
    assert noted(core, *[SMOOTH] * 23, HELD_UP)[-2:] == [True, False]  # eight to show it, and fifteen more


def test_where_there_was_one_for_long_few_show_it_again() -> None:
    core = SpareCore()
    for _ in range(6):
        noted(core, *[SMOOTH] * 100, HELD_UP, HELD_UP)
    noted(core, *[SMOOTH] * (64 + 128), HELD_UP, HELD_UP)
    assert noted(core, *[SMOOTH] * 8).index(True) == 7  # twice as many as at first


def test_work_that_waits_for_no_core_says_nothing_against_one() -> None:
    """A short hitch is none, and nor is a part of long work that caches cost; work of no length says nothing at all."""
    core = SpareCore()
    assert noted(core, *[(0.0009, 0.0009)] * 99) == [False] * 99
    assert noted(core, *[(0.0014, 0.0005)] * 4)[-1]
    assert noted(core, (0.0009, 0.0))[-1]
    assert noted(core, (0.112, 0.100))[-1]
    assert not noted(core, (0.116, 0.100))[-1]


def test_a_stretch_is_timed_by_the_clock_and_by_the_processor() -> None:
    core = SpareCore()
    for _ in range(4):
        core.note(*SMOOTH)
    with core.watched():
        time.sleep(0.01)
    assert not core.is_there


@pytest.mark.parametrize(
    ("ready", "free", "order"),
    [
        (True, True, ["verdicts", "list"]),
        (True, False, ["list", "verdicts"]),
        (False, True, ["list", "verdicts"]),
    ],
)
def test_verdicts_are_asked_for_first_where_process_and_core_are_free(
    monkeypatch: pytest.MonkeyPatch, ready: bool, free: bool, order: list[str]
) -> None:
    server = make_server()
    done: list[str] = []
    monkeypatch.setattr(server, "text_document_publish_diagnostics", lambda _: done.append("list"))
    monkeypatch.setattr(server.flow, "submit", lambda _: done.append("verdicts"))
    monkeypatch.setattr(type(server.flow), "is_ready", ready)
    for _ in range(4 if free else 0):
        server.spare_core.note(*SMOOTH)
    snapshot, _ = server.documents.open("file:///k.co", 1, PIPELINE)
    publish(server, snapshot)
    assert done == order
