"""Signs of life of a long run: a bar on a terminal, else a line now and then. Must not know what is run."""

from __future__ import annotations

import sys
import threading
import time

DELAY = 1.0  # seconds until the bar shows
EVERY = 10.0  # seconds between two lines


class Bar:
    """Shows blocks done of blocks in all on standard error, from one second on."""

    def __init__(self, name: str) -> None:
        from rich.progress import Progress  # here, since lines need none of it

        self._make = Progress
        self._name, self._start = name, time.monotonic()
        self._shown: Progress | None = None

    def update(self, done: int, total: int) -> None:
        if self._shown is None:
            if time.monotonic() - self._start < DELAY:
                return
            from rich.console import Console

            self._shown = self._make(console=Console(stderr=True), transient=True)
            self._shown.start()
            self._shown.add_task(self._name, total=total)
        self._shown.update(self._shown.task_ids[0], completed=done, total=total)

    def close(self) -> None:
        if self._shown is not None:
            self._shown.stop()


class Lines:
    """A line on standard error every EVERY seconds, where that is no terminal: a log then shows that a run goes on.

    A thread of its own writes it, so that one appears while a single block takes long, too.
    """

    def __init__(self, name: str) -> None:
        self._name, self._start = name, time.monotonic()
        self._blocks = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)
        self._thread.start()

    def update(self, done: int, total: int) -> None:
        self._blocks = f", {done} of {total} blocks"

    def close(self) -> None:
        """No line comes after this."""
        self._ended.set()
        self._thread.join()

    def _tell(self) -> None:
        while not self._ended.wait(EVERY):
            seconds = round(time.monotonic() - self._start)
            print(f"croq: {self._name}: running for {seconds} s{self._blocks}", file=sys.stderr, flush=True)
