"""One run at a time on a card: a lock file that other processes respect and that names its holder. Must not run jobs.

`flock` is given up by the system with the process that held it, so a crash leaves no lock behind. The files stay.

Who waits holds a second one, the turn: who gives the card back and asks for it again at once comes behind.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

_POLL = 0.05  # seconds between two tries


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a card: process id and what it does; 0 and "" where the file does not tell."""

    pid: int = 0
    what: str = ""

    def __str__(self) -> str:
        if not self.pid:
            return "another process"
        return f"process {self.pid}" + (f" ({self.what})" if self.what else "")


class LockTimeoutError(Exception):
    """The card stayed with another process for as long as one was ready to wait."""

    def __init__(self, holder: Holder) -> None:
        super().__init__(f"the card is in use by {holder}")
        self.holder = holder


class LockCancelledError(Exception):
    """The wait for the card was called off."""


def runtime_folder() -> Path:
    """The user's folder for what lives as long as processes do: `$XDG_RUNTIME_DIR/croqtile`, else one of their own in
    the folder of temporary files."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    return Path(base) / "croqtile" if base else Path(tempfile.gettempdir()) / f"croqtile-{os.getuid()}"


def card_name() -> str:
    """The card that CUDA takes first: the first entry of CUDA_VISIBLE_DEVICES, else 0."""
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    return "".join(char if char.isalnum() or char == "-" else "_" for char in first) or "0"


def lock_path(folder: Path | None = None) -> Path:
    """The lock file of the card."""
    return (folder or runtime_folder()) / f"gpu-{card_name()}.lock"


class CardLock:
    """Held inside `with`. `cancelled` is asked while waiting, `on_wait` hears once who is waited for.

    Raises OSError where the file cannot be made, LockTimeoutError, LockCancelledError.
    """

    def __init__(
        self,
        path: Path,
        what: str = "",
        timeout: float | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        on_wait: Callable[[Holder], None] = lambda holder: None,
    ) -> None:
        self.path, self.what, self.timeout = path, what, timeout
        self.cancelled, self.on_wait = cancelled, on_wait
        self._file = -1

    def __enter__(self) -> CardLock:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._wait()
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, json.dumps({"pid": os.getpid(), "what": self.what}).encode(), 0)
        except BaseException:
            os.close(self._file)  # and with it the lock
            raise
        return self

    def _wait(self) -> None:
        start = time.monotonic()
        turn = os.open(self.path.with_suffix(".turn"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            told = self._taken(turn, start, False)
            self._taken(self._file, start, told)
        finally:
            os.close(turn)

    def _taken(self, file: int, start: float, told: bool) -> bool:
        """Waits until one of the files is this process's; whether it was told who is waited for."""
        while not _try(file):
            holder = holder_of(self.path)
            if not told:
                self.on_wait(holder)
                told = True
            if self.cancelled():
                raise LockCancelledError
            if self.timeout is not None and time.monotonic() - start >= self.timeout:
                raise LockTimeoutError(holder)
            time.sleep(_POLL)
        return told

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # the next holder writes its own name
            os.ftruncate(self._file, 0)
        os.close(self._file)


def _try(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def holder_of(path: Path) -> Holder:
    """What the file says of its holder."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Holder(int(data["pid"]), str(data["what"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Holder()
