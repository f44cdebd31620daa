"""A server process under a client that answers what the server asks and keeps what it is told. Must not judge."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tests.lsp.frames import framed, hand_over
from tests.lsp.processes import below, is_at_work, seconds
from tests.lsp.sessions.draw import Client

COMMAND = (sys.executable, "-m", "croqls")


class GoneError(Exception):
    """The server process ended, or closed its output."""


class Wire:
    """One server process. Messages are read at once, as a client does; `take` hands them out one by one."""

    def __init__(self, client: Client, command: Sequence[str] = COMMAND) -> None:
        self.client = client
        self.settings: Mapping[str, Any] = {}
        self.numbers = 0
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process)
        self._folder = tempfile.TemporaryDirectory()  # where it starts, and keeps the history of runs
        streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        environment = os.environ | {"XDG_STATE_HOME": self._folder.name}
        self.process = subprocess.Popen(command, **streams, cwd=self._folder.name, env=environment)
        self._read: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self) -> dict[str, Any]:
        """What `initialize` answers."""
        settings: dict[str, Any] = {"diagnostics": "pull"} if self.client.pull else {}
        self.settings = settings
        number = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": self.client.capabilities(),
                "initializationOptions": settings,
            },
        )
        while (message := self.take(60)) is None or message.get("id") != number or "method" in message:
            pass
        self.notify("initialized", {})
        return dict(message["result"])

    def notify(self, method: str, params: Any) -> None:
        self._write({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        """Sends a request; its number."""
        self.numbers += 1
        self._write({"id": self.numbers, "method": method, "params": params})
        return self.numbers

    def take(self, seconds: float) -> dict[str, Any] | None:
        """The next message, None where none comes in time. Raises GoneError. What the server asks is answered."""
        try:
            message = self._read.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            return None
        if message is None:
            raise GoneError(f"the server ended with status {self.process.poll()}")
        if "method" in message and "id" in message:
            self._answer(message)
        return message

    def is_at_work(self) -> bool:
        """Whether one of its processes has something to do: it may be late because the machine has other work."""
        return any(map(is_at_work, self._processes()))

    def spent(self) -> float:
        """Seconds of processor time of all its processes that are still there."""
        return sum(map(seconds, self._processes()))

    def _processes(self) -> set[int]:
        return {self.process.pid, *below(self.process.pid)}

    def said(self, start: int) -> tuple[int, str]:
        """How long its standard error is, and what it holds from a place on."""
        self._errors.seek(start)
        text = self._errors.read()
        return start + len(text), text.decode("utf-8", "replace")

    def end(self, seconds: float = 20) -> int:
        """Ends it as a client should; its exit status."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        return self.kill()

    def kill(self) -> int:
        self.process.kill()
        status = self.process.wait()
        self._errors.close()
        self._folder.cleanup()
        return status

    def _answer(self, message: dict[str, Any]) -> None:
        method, answer = message["method"], {"id": message["id"], "result": None}
        if method == "workspace/configuration":
            answer["result"] = [self.settings for _ in message["params"]["items"]]
        elif self.client.refuses:
            answer = {"id": message["id"], "error": {"code": -32603, "message": "not now"}}
        elif method == "workspace/applyEdit":
            answer["result"] = {"applied": False}
        self._write(answer)

    def _write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(framed({"jsonrpc": "2.0"} | message))
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise GoneError(f"the server ended with status {self.process.poll()}") from error

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        hand_over(stream, self._read.put)
