"""What differs on Windows and macOS, as far as it can be asked here: addresses, case of letters, locks, priorities."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import Pipe
from pathlib import Path

import pytest

from croqc.cli.main import main
from croqc.service.check import check_text
from croqls.lsp import documents as documents_of
from croqls.lsp.child import _is_stopped
from croqls.lsp.documents import Documents, key_of, path_of
from croqls.lsp.settings import EditorSettings
from croqls.workers import begin, long_work, tasks
from croqls.workers.orders import Outcome, Text
from croqls.workers.runs import TASKS

ADD = Path("examples/add.co").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/a%20b/k.co", "C:/a b/k.co"),
        ("file:///C:/a b/k.co", "C:/a b/k.co"),
        ("file://server/share/k.co", "//server/share/k.co"),
        ("file:///home/ada/k.co", "/home/ada/k.co"),
    ],
)
def test_the_file_of_an_address(uri: str, path: str) -> None:
    assert path_of(uri) == Path(path)


@pytest.mark.parametrize(("system", "same"), [("win32", True), ("darwin", True), ("linux", False)])
def test_trust_is_taken_from_a_folder_in_upper_and_lower_case(
    monkeypatch: pytest.MonkeyPatch, system: str, same: bool
) -> None:
    """Where the system's files are so, another way to write the folder is no way around."""
    monkeypatch.setattr(documents_of.sys, "platform", system)  # type: ignore[attr-defined]
    documents = Documents()
    documents.folders = {key_of("file:///c%3A/Ada/Repo"): EditorSettings(trusted=False)}
    assert not documents.trusts("file:///C:/Ada/Repo/k.co")
    assert documents.trusts("file:///c:/ada/repo/k.co") is not same
    assert documents.trusts("file:///C:/Ada/Repository/k.co")


def test_no_process_is_stopped_by_a_signal_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "waitid", None)
    assert not _is_stopped(os.getpid())


def test_priorities_and_groups_are_left_alone_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which has neither `nice` nor groups of processes."""
    monkeypatch.setattr(sys, "platform", "win32")
    for name in ("nice", "setpgid"):
        monkeypatch.delattr(os, name)
    begin._end_when_stopped()

    served: list[object] = []
    monkeypatch.setattr(tasks, "serve", served.append)
    for name in ("collect_seldom", "keep_loaded"):
        monkeypatch.setattr(long_work, name, lambda: None)
    here, _ = Pipe()
    long_work.long_work(here)
    assert served == [here]


def test_verifying_needs_no_locks() -> None:
    """A system without `fcntl` has the simulator and the proof."""
    code = "import sys; sys.modules['fcntl'] = None; import croqc.service.verify, croqc.cli.verify, croqls.workers.runs"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_kernel_is_verified_without_a_card_on_windows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the server, and by the command."""
    monkeypatch.setattr(sys, "platform", "win32")
    (*_, end) = TASKS["verify"](Text("k.co", ADD, "k.co", check_text("").given[1]), check_text(ADD), {}, {})
    assert isinstance(end, Outcome)
    assert [(one["sim"]["verdict"], one["gpu"]) for one in end.data["verified"]] == [("verified", None)]
    assert main(["verify", "examples/add.co"]) == 0
    assert "the engine gpu runs on Linux" in capsys.readouterr().err
