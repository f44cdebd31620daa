"""Two processes of `croq run --engine gpu` and one card: who waits is told for whom, comes in turn, leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from croqc.engines.gpu.lock import CardLock, holder_of
from tests.engines.children import SCRIPT, alive
from tests.engines.test_run_on_card import ADD
from tests.interrupts import heed

CROQ = """
import sys
from croqc.engines.gpu import parent
parent.child_command = lambda cache: [sys.executable, "-S", "-E", *sys.argv[1:4]]
from croqc.cli.main import main
sys.exit(main(sys.argv[4:]))
"""


class Place:
    """A folder with a kernel, and `croq run` in it, whose child adds once a gate is open."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lock = folder, folder / "runtime" / "croqtile" / "gpu-0.lock"
        (folder / "scratch").mkdir()
        (folder / "add.co").write_text(ADD, encoding="utf-8")

    @contextmanager
    def croq(self, gate: str) -> Iterator[subprocess.Popen[str]]:
        words = [sys.executable, "-c", CROQ, str(SCRIPT), "gated", str(self.folder / gate)]
        environment = os.environ | {
            "XDG_RUNTIME_DIR": str(self.folder / "runtime"),
            "TMPDIR": str(self.folder / "scratch"),
            "CUDA_VISIBLE_DEVICES": "0",
        }
        command = [*words, "run", "--engine", "gpu", "--timeout", "60", "add.co"]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed,
        ) as process:
            yield process
            if process.poll() is None:
                process.kill()

    def child(self, gate: str) -> int:
        """The process id of the child that waits at a gate, or waits for a job."""
        note = self.folder / f"{gate}.child"
        wait_for(note.exists)
        return int(note.read_text())

    def scratch(self) -> list[Path]:
        return list((self.folder / "scratch").iterdir())


def wait_for(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.02)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def said(process: subprocess.Popen[str]) -> str:
    """The first line on its standard error."""
    assert process.stderr is not None
    return process.stderr.readline()


@pytest.mark.slow
def test_the_second_waits_and_says_for_whom(place: Place) -> None:
    with place.croq("one") as first:
        wait_for(lambda: holder_of(place.lock).pid == first.pid)
        with place.croq("two") as second:
            assert said(second) == f"croq: waiting for the card, which process {first.pid} (croq: add) uses\n"
            (place.folder / "two").touch()
            assert second.poll() is None
            (place.folder / "one").touch()
            assert "verified (gpu" in first.communicate()[0]
            output, rest = second.communicate()
            assert "verified (gpu" in output and rest == ""
            assert (first.returncode, second.returncode) == (0, 0)
    assert place.scratch() == []


@pytest.mark.slow
def test_an_interrupt_in_the_queue_leaves_nothing_behind(place: Place) -> None:
    shared = {path.name for path in Path("/dev/shm").glob("croq-gpu-*")} if Path("/dev/shm").is_dir() else set()
    with place.croq("one") as first:
        wait_for(lambda: holder_of(place.lock).pid == first.pid)
        before = set(place.scratch())
        with place.croq("two") as second:
            assert said(second).startswith("croq: waiting for the card")
            child = place.child("two")
            assert alive(child)
            second.send_signal(signal.SIGINT)
            output, rest = second.communicate(timeout=30)
        assert (second.returncode, output) == (130, "")
        assert "Traceback" not in rest
        assert not alive(child)
        assert set(place.scratch()) == before
        assert holder_of(place.lock).pid == first.pid
        (place.folder / "one").touch()
        assert "verified (gpu" in first.communicate()[0]
    assert place.scratch() == []
    if Path("/dev/shm").is_dir():
        assert {path.name for path in Path("/dev/shm").glob("croq-gpu-*")} <= shared


@pytest.mark.slow
def test_an_interrupt_of_a_run_ends_its_child_and_frees_the_card(place: Place) -> None:
    with place.croq("one") as first:
        wait_for(lambda: holder_of(place.lock).pid == first.pid)
        child = place.child("one")
        first.send_signal(signal.SIGINT)
        output, rest = first.communicate(timeout=30)
    assert (first.returncode, output) == (130, "")
    assert "Traceback" not in rest
    assert not alive(child) and place.scratch() == []
    with CardLock(place.lock, timeout=0.0):
        pass


def test_who_waits_comes_before_the_next_run_of_the_holder(tmp_path: Path) -> None:
    """A holder that asks again at once gives the card to another one in between, after few rounds of many."""
    lock = tmp_path / "gpu.lock"
    waiting, done = threading.Event(), threading.Event()

    def other() -> None:
        with CardLock(lock, "other", on_wait=lambda holder: waiting.set()):
            done.set()

    thread = threading.Thread(target=other)
    rounds = 0
    with CardLock(lock, "busy"):
        thread.start()
        assert waiting.wait(30)
        time.sleep(0.1)  # the other one has its turn
    while not done.is_set() and rounds < 50:
        with CardLock(lock, "busy"):
            rounds += 1
            time.sleep(0.02)
    thread.join(30)
    assert done.is_set() and rounds <= 1
