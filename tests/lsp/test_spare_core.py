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
        waits.append(1 + noted(core, *[SMOOTH] * 200).index(True))
        core.note(*HELD_UP)
    assert waits == [4, 8, 16, 32, 64, 64, 64]


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
