"""Runs that are kept over restarts: what is kept, how much, and what becomes of files that cannot be used."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from croqc.service import history
from croqc.service.history import KEPT, History, Kept, kept_part, state_folder

DOCUMENT = "file:///home/ada/k.co"
ENTRY: dict[str, Any] = {
    "path": "/home/ada/k.co",
    "function": "f",
    "overload": 1,
    "name": "small",
    "verdict": "wrong",
    "engine": "gpu",
    "arch": "sm_90a",
    "sizes": {"M": 64, "alpha": "nan"},
    "seed": 7,
    "schedule": 0,
    "expectations": [{"text": "y ~= secret @ x"}],
    "hang": [],
    "time": 0.5,
    "compileTime": 0,
    "timing": {"card": "H200", "median": 0.5},
    "message": "secret",
    "range": None,
    "prints": ["secret"],
    "notes": ["secret"],
}


def entry(seed: int) -> Kept:
    return Kept("2026-01-02T03:04:05+00:00", ENTRY | {"seed": seed})


@pytest.fixture
def kept(tmp_path: Path) -> History:
    return History(tmp_path / "state" / "runs.sqlite")


def seeds(store: History, document: str = DOCUMENT) -> list[int]:
    return [one.run["seed"] for one in store.read(document)]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_a_run_that_was_kept_before_overloads_were_told_apart_is_of_the_first(kept: History) -> None:
    older = {name: value for name, value in ENTRY.items() if name != "overload"}
    kept.add(DOCUMENT, [Kept(entry(1).at, older), Kept(entry(1).at, ENTRY | {"overload": "x"})])
    assert [one.run["overload"] for one in kept.read(DOCUMENT)] == [0]


def test_a_run_comes_back_without_anything_of_the_source(kept: History) -> None:
    kept.add(DOCUMENT, [entry(1), entry(2)])
    found = History(kept.path).read(DOCUMENT)
    assert [one.run["seed"] for one in found] == [1, 2]
    left_out = {"path", "expectations", "hang", "message", "range", "prints", "notes"}
    assert found[0] == Kept(entry(1).at, {name: value for name, value in entry(1).run.items() if name not in left_out})
    written = kept.path.read_bytes()
    assert b"secret" not in written and b"ada" not in written
    assert History(kept.path).read(DOCUMENT + "x") == []


def test_what_was_run_is_kept_as_a_hash_where_it_is_known(kept: History) -> None:
    kept.add(DOCUMENT, [entry(1), Kept(entry(2).at, entry(2).run, "5a")])
    assert [(one.likeness, one.run) for one in History(kept.path).read(DOCUMENT)] == [
        ("", kept_part(entry(1).run)),
        ("5a", kept_part(entry(2).run)),
    ]


def test_the_folder_is_the_users_alone(kept: History) -> None:
    kept.add(DOCUMENT, [entry(1)])
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700


def test_the_folder_follows_the_specification(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "croqtile"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    assert state_folder() == Path("/home/ada/.local/state/croqtile")


def test_a_document_keeps_its_last_hundred_and_leaves_others_alone(kept: History) -> None:
    kept.add("other", [entry(5)])
    for start in range(0, 240, 80):
        kept.add(DOCUMENT, [entry(seed) for seed in range(start, start + 80)])
    assert seeds(kept) == list(range(240 - KEPT, 240))
    assert seeds(kept, "other") == [5]


def test_all_documents_together_are_bounded(kept: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_MOST", 30)
    for number in range(50):
        kept.add(f"file:///{number}.co", [entry(number)])
    assert [seeds(kept, f"file:///{number}.co") for number in (19, 20, 49)] == [[], [20], [49]]


def test_an_entry_that_is_too_long_is_left_out(kept: History) -> None:
    long = Kept("2026-01-02T03:04:05+00:00", ENTRY | {"seed": 1, "name": "x" * 5000})
    kept.add(DOCUMENT, [long, entry(2)])
    assert seeds(kept) == [2]


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100, None])
def test_a_damaged_file_is_told_of_once_and_a_new_one_begun(
    kept: History, content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    kept.add(DOCUMENT, [entry(seed) for seed in range(100)])
    whole = kept.path.read_bytes()
    kept.path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096) if content is None else content)
    assert seeds(kept) == []
    kept.add(DOCUMENT, [entry(3)])
    assert seeds(kept) == [3]
    damaged = content != b""  # an empty file is an empty database
    assert len(warnings(caplog)) == (1 if damaged else 0)
    assert kept.path.with_suffix(".damaged").exists() is damaged


@pytest.mark.parametrize(
    "row",
    [
        "[]",
        "{",
        '"f"',
        json.dumps({"function": "f"}),
        json.dumps(kept_part(ENTRY) | {"sizes": 3}),
        b"\xff\xfe",
        None,
        3,
    ],
)
def test_a_row_that_is_none_of_ours_is_passed_over(kept: History, row: object) -> None:
    kept.add(DOCUMENT, [entry(1), entry(2), entry(3)])
    with sqlite3.connect(kept.path) as base:
        base.execute("update runs set run = ? where number = 2", (row,))
    base.close()
    assert seeds(kept) == [1, 3]


def test_where_nothing_can_be_written_it_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    store = History(tmp_path / "state" / "runs.sqlite")
    for seed in (1, 2):
        store.add(DOCUMENT, [entry(seed)])
    assert seeds(store) == []
    assert len(warnings(caplog)) == 1


def test_a_full_disk_loses_what_does_not_fit_and_no_more(
    kept: History, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept.add(DOCUMENT, [entry(1)])
    real = sqlite3.connect

    def full(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        base = real(*args, **kwargs)
        base.execute("pragma max_page_count = 3")  # SQLite says the same as of a disk without room
        return base

    monkeypatch.setattr(sqlite3, "connect", full)
    kept.add(DOCUMENT, [entry(seed) for seed in range(2, 90)])
    monkeypatch.undo()
    (said,) = warnings(caplog)
    assert "full" in said
    assert seeds(kept) == [1]


def test_a_database_in_use_is_waited_for_then_done_without(
    kept: History, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept.add(DOCUMENT, [entry(1)])
    monkeypatch.setattr(history, "_PATIENCE", 0.05)
    other = sqlite3.connect(kept.path, isolation_level=None)
    other.execute("begin exclusive")
    kept.add(DOCUMENT, [entry(2)])
    other.execute("rollback")
    other.close()
    assert len(warnings(caplog)) == 1
    assert seeds(kept) == [1]


@pytest.mark.slow
def test_several_processes_lose_nothing_of_each_other(kept: History) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.cli.test_history import History, entry\n"
        "store = History(Path(sys.argv[1]))\n"
        "for seed in range(10): store.add(sys.argv[2], [entry(seed)])"
    )
    words = [sys.executable, "-c", code, str(kept.path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    started = [subprocess.Popen([*words, f"file:///{name}.co"], env=environment) for name in "abc"]
    assert [process.wait(100) for process in started] == [0, 0, 0]
    assert [seeds(kept, f"file:///{name}.co") for name in "abc"] == [list(range(10))] * 3
