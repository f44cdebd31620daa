"""A server process spoken to message by message, for what a test client would hide. Must not hold tests."""

from __future__ import annotations

import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tests.lsp.frames import framed, hand_over
from tests.lsp.processes import below

COMMAND = (sys.executable, "-m", "croqls")
INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


class Server:
    """A server process spoken to by hand; each call writes one message, `answer` reads until one with that id.

    What else is read meanwhile is kept in `heard`. Requests of the server are answered as `answers` says: edits are
    applied in words, all others get null; `respond` makes an answer of the parameters, an `error` stands for all.
    `others` are answers that came while another one was waited for.
    """

    def __init__(self, command: Sequence[str] = COMMAND, **options: Any) -> None:
        self.heard: list[dict[str, Any]] = []
        self.others: list[dict[str, Any]] = []
        self.answers: dict[str, Any] = {"workspace/applyEdit": {"applied": True}}
        self.respond: dict[str, Callable[[Any], Any]] = {}
        self.error: dict[str, Any] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process)
        self.asked = 1
        self._read: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        self.process = subprocess.Popen(command, **streams, **options)
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        """It is gone, whatever it was doing."""
        self.process.kill()
        self.process.wait()

    def send(self, method: str, number: int | None = None, **message: Any) -> None:
        head: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        self.write(head | ({} if number is None else {"id": number}) | message)

    def write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(framed(message))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next message."""
        message = self._read.get(timeout=100)
        if message is None:
            raise EOFError
        if "method" in message:
            self.heard.append(message)
            if "id" in message:
                make = self.respond.get(message["method"])
                result = make(message["params"]) if make else self.answers.get(message["method"])
                answer = {"result": result} if self.error is None else {"error": self.error}
                self.write({"jsonrpc": "2.0", "id": message["id"]} | answer)
        return message

    def _listen(self) -> None:
        """Read at once what the server writes, as a client does: it would wait otherwise."""
        stream = self.process.stdout
        assert stream is not None
        hand_over(stream, self._read.put)

    def answer(self, number: int) -> dict[str, Any]:
        while True:
            message = self.read()
            if message.get("id") == number and "method" not in message:
                return message
            if "method" not in message:
                self.others.append(message)

    def ask(self, method: str, params: Any = None) -> Any:
        """The result of a request. Raises FailedError for an error."""
        self.asked += 1
        self.send(method, self.asked, params=params)
        return self.result(self.asked)

    def result(self, number: int) -> Any:
        answer = self.answer(number)
        if "error" in answer:
            raise FailedError(answer["error"]["code"], answer["error"]["message"])
        return answer["result"]

    def until(self, method: str, found: Callable[[Any], bool] = lambda _: True) -> Any:
        """The parameters of the first message of a method that is meant, heard already or still to come."""
        at = 0
        while True:
            for message in self.heard[at:]:
                if message["method"] == method and found(message.get("params")):
                    return message.get("params")
            at = len(self.heard)
            self.read()

    def log(self) -> str:
        """What it wrote to standard error so far."""
        self._errors.seek(0)
        return self._errors.read().decode()

    def messages(self) -> list[str]:
        """What it showed to the person so far."""
        return [one["params"]["message"] for one in self.heard if one["method"] == "window/showMessage"]

    def children(self) -> set[int]:
        """The processes below the server's own, by Linux's count."""
        return below(self.process.pid)

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "croqtile", "version": 1, "text": text}
        self.send("textDocument/didOpen", params={"textDocument": document})

    def edit(self, uri: str, version: int, text: str) -> None:
        document = {"uri": uri, "version": version}
        self.send("textDocument/didChange", params={"textDocument": document, "contentChanges": [{"text": text}]})

    def start(self, capabilities: Any = None, options: Any = None, folders: Any = None) -> Any:
        """What `initialize` answers."""
        more = {"capabilities": capabilities or {}, "initializationOptions": options, "workspaceFolders": folders}
        self.send("initialize", 1, params=INITIALIZE | more)
        result = self.answer(1)["result"]
        assert "capabilities" in result
        self.send("initialized", params={})
        return result


class FailedError(Exception):
    """An error in place of a result: its code and message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message
