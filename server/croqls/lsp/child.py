"""A process of `croqls.workers` with the pipe to it and a thread that listens. Must not know what is sent."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.spawn import get_executable
from typing import Any

_PATIENCE = 5.0  # seconds for a process that closed its pipe to be gone


class NoProcessError(Exception):
    """No process can be started; the text says why, and the way out."""


class Child:
    """Started at once. `on_message` is called on the loop: with what the process sends, with None once it is gone.

    Raises NoProcessError.
    """

    def __init__(self, work: Callable[[Connection], None], name: str, on_message: Callable[[Any], None]) -> None:
        python = os.fsdecode(get_executable())
        if not os.path.exists(python):  # else the process dies without a word
            raise NoProcessError(f"{python} is gone; start the server anew with a Python that is there")
        try:
            context = get_context("spawn")
            here, there = context.Pipe()
            self.process = context.Process(target=work, args=(there,), name=name, daemon=True)
            self.process.start()
        except OSError as error:
            raise NoProcessError(f"the system starts no process ({error.strerror}); try again") from error
        there.close()
        self._connection = here
        self._on_message = on_message
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop,), daemon=True).start()

    def send(self, order: object) -> None:
        """Waits while the pipe is full. Raises OSError for a process that is gone."""
        self._connection.send(order)

    def kill(self) -> None:
        """Ends the process at once; it says no more."""
        self._on_message = lambda _: None
        self.process.kill()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            try:
                message = self._connection.recv()
            except Exception:  # the end of the pipe; or data of another version of the package, put there meanwhile
                message = None
                self.process.kill()
                self.process.join(_PATIENCE)  # else it stays in the system's list until the next one is started
            if loop.is_closed():
                return
            loop.call_soon_threadsafe(self._tell, message)
            if message is None:
                self._connection.close()
                return

    def _tell(self, message: Any) -> None:
        self._on_message(message)
