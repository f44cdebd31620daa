"""One run at a time on a card: two processes, and what the lock says of its holder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.lock import CardLock, Holder, LockTimeoutError, card_name, holder_of, lock_path
from croqc.engines.gpu.protocol import Answer
from tests.engines.children import JOB, parent

HOLD = """
import sys
from pathlib import Path
from croqc.engines.gpu.lock import CardLock
with CardLock(Path(sys.argv[1]), "bench"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def other_process(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds the lock inside."""
    words = [sys.executable, "-c", HOLD, str(lock)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        if process.poll() is None:
            process.kill()


def test_another_process_is_waited_for_and_named(tmp_path: Path) -> None:
    lock = tmp_path / "gpu.lock"
    heard: list[Holder] = []
    with other_process(lock) as process, parent("good", lock=lock, lock_timeout=0.2, on_wait=heard.append) as one:
        found = one.run(JOB)
        assert isinstance(found, Trouble)
        assert found.kind is Kind.BUSY
        assert found.message == f"the card is in use by process {process.pid} (bench)"
        assert heard == [Holder(process.pid, "bench")]
        assert one.child_pid is None


def test_a_dead_holder_leaves_no_lock(tmp_path: Path) -> None:
    lock = tmp_path / "gpu.lock"
    with other_process(lock) as process:
        process.kill()
        process.wait()
        with parent("good", lock=lock, lock_timeout=10.0) as one:
            assert isinstance(one.run(JOB), Answer)


def test_the_wait_ends_when_the_other_lets_go(tmp_path: Path) -> None:
    lock = tmp_path / "gpu.lock"
    with other_process(lock) as process, parent("good", lock=lock) as one:
        assert process.stdin is not None
        threading.Timer(0.2, process.stdin.close).start()
        assert isinstance(one.run(JOB), Answer)


def test_a_wait_can_be_cancelled(tmp_path: Path) -> None:
    lock = tmp_path / "gpu.lock"
    with other_process(lock), parent("good", lock=lock) as one:
        found = one.run(JOB, cancelled=lambda: True)
    assert isinstance(found, Trouble) and found.kind is Kind.CANCELLED


def test_two_holders_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    lock = tmp_path / "deep" / "gpu.lock"
    with CardLock(lock, "first"):
        assert holder_of(lock) == Holder(os.getpid(), "first")
        with pytest.raises(LockTimeoutError), CardLock(lock, "second", timeout=0.0):
            pass
    with CardLock(lock, "third", timeout=0.0):
        assert holder_of(lock).what == "third"
    assert holder_of(lock) == Holder()


def test_a_lock_that_cannot_be_made_is_a_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with parent("good", lock=tmp_path / "file" / "gpu.lock") as one:
        found = one.run(JOB)
    assert isinstance(found, Trouble) and found.kind is Kind.FOLDER


def test_each_card_has_its_own_lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for value, name in (("", "0"), ("3,1", "3"), ("GPU-ab/c", "GPU-ab_c")):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
        assert card_name() == name
        assert lock_path() == tmp_path / "croqtile" / f"gpu-{name}.lock"


@pytest.mark.parametrize("call", ["ftruncate", "pwrite"])
def test_a_lock_whose_file_cannot_be_written_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    lock = CardLock(tmp_path / "gpu.lock", timeout=0.0)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(OSError, match="No space left"):
            lock.__enter__()
    with CardLock(tmp_path / "gpu.lock", timeout=0.0):
        assert holder_of(tmp_path / "gpu.lock").pid == os.getpid()


def test_a_lock_whose_file_cannot_be_emptied_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, CardLock(tmp_path / "gpu.lock", timeout=0.0):
        patch.setattr(os, "ftruncate", full)
    with CardLock(tmp_path / "gpu.lock", timeout=0.0):
        assert holder_of(tmp_path / "gpu.lock").pid == os.getpid()
