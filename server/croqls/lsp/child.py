"""A process of `croqls.workers` with the pipe to it, a thread that writes and one that listens.

Nothing here waits for the process, whatever it reads or says. Must not know what is sent.
"""

from __future__ import annotations

import asyncio
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from multiprocessing.spawn import get_executable
from queue import SimpleQueue
from typing import Any

_PATIENCE = 5.0  # seconds for a process that closed its pipe to be gone
_ROOM = 1 << 18  # bytes of a pipe: a text of 2,000 lines fits into what is free of it
_FREE = 4  # of so many parts of a pipe that is ready for more at least one is free (macOS; three on Linux)
_LOOK = 1.0  # seconds between two looks at a process that is waited for


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
        self._room = _room_of(here)
        self._left = self._written = 0  # orders for the thread that writes, and those of them that it is done with
        self._orders: SimpleQueue[bytes | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, daemon=True)
        self._writer.start()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop,), daemon=True).start()

    def send(self, order: object) -> None:
        """Never waits, however full the pipe is. What a process that is gone is sent is lost, of which it is told."""
        data = bytes(ForkingPickler.dumps(order))
        if self._left == self._written and self._takes(len(data)):
            self._write_one(data)  # the thread would wait for the interpreter first, some milliseconds
        else:
            self._left += 1
            self._orders.put(data)

    def _takes(self, size: int) -> bool:
        """Whether the pipe is known to take so many bytes at once."""
        if size > self._room:
            return False
        try:
            pipe = select.poll()
            pipe.register(self._connection, select.POLLOUT)
            return bool(pipe.poll(0))
        except OSError:  # it is closed
            return False

    async def until_stopped(self) -> None:
        """Returns once the process stands still, as behind a SIGSTOP: it would take and say nothing until it is
        continued. It is looked at twice: where server and process are stopped together, both go on together."""
        seen = 0
        while seen < 2:
            await asyncio.sleep(_LOOK)
            seen = seen + 1 if await asyncio.to_thread(_is_stopped, self.process.pid) else 0

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
                self._orders.put(None)
                self._writer.join(_PATIENCE)
                self._connection.close()
                return

    def _write(self) -> None:
        while (order := self._orders.get()) is not None:
            self._write_one(order)
            self._written += 1

    def _write_one(self, order: bytes) -> None:
        with suppress(OSError):  # it is gone, and the thread that listens tells of it
            self._connection.send_bytes(order)

    def _tell(self, message: Any) -> None:
        self._on_message(message)


def _room_of(connection: Connection) -> int:
    """How many bytes a pipe that is ready takes at once; 0 where that is not known."""
    if sys.platform == "win32":
        return 0
    with socket.socket(fileno=os.dup(connection.fileno())) as pipe:
        with suppress(OSError):  # else it is as large as the system makes it
            pipe.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ROOM)
        return pipe.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // _FREE


def _is_stopped(pid: int | None) -> bool:
    """Whether a child is stopped by a signal. Windows stops none."""
    if pid is None or sys.platform == "win32":
        return False
    if hasattr(os, "waitid"):
        try:
            return os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return False
    told = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return told.stdout.startswith("T")  # macOS, whose Python has no `waitid` before 3.13
