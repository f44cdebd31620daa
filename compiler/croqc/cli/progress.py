"""A progress bar for runs that take longer than a second. Must not know what is run."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import Progress

DELAY = 1.0  # seconds


class Bar:
    """Shows blocks done of blocks in all on standard error, from one second on."""

    def __init__(self, name: str) -> None:
        self._name, self._start = name, time.monotonic()
        self._shown: Progress | None = None

    def update(self, done: int, total: int) -> None:
        if self._shown is None:
            if time.monotonic() - self._start < DELAY:
                return
            self._shown = Progress(console=Console(stderr=True), transient=True)
            self._shown.start()
            self._shown.add_task(self._name, total=total)
        self._shown.update(self._shown.task_ids[0], completed=done, total=total)

    def close(self) -> None:
        if self._shown is not None:
            self._shown.stop()
