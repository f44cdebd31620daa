"""`croq flow --serve` and what is sent to it, or put in the place of its file: it answers, and goes on."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Croq

pytestmark = pytest.mark.slow

KERNEL = "__co__ void one(global f32 [N] x) { parallel p by N : thread x.at(p) = x.at(p) + 1.0f; }\n"


class Served:
    """A file, the process that serves it, and raw requests to that."""

    def __init__(self, folder: Path) -> None:
        self.file, self.errors = folder / "k.co", folder / "errors"
        self.file.write_text(KERNEL, encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "croqc.cli.main", "flow", "--serve", str(self.file)],
            stdout=subprocess.PIPE,
            stderr=self.errors.open("w"),
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().split("/ ")[0].rpartition(":")[2])

    def send(self, request: str) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        client.sendall(request.encode("utf-8"))
        return client

    def ask(self, *hosts: str, path: str = "/flow") -> tuple[int, str]:
        """The status and the text of an answer."""
        named = "".join(f"Host: {host}\r\n" for host in hosts)
        with self.send(f"GET {path} HTTP/1.1\r\n{named}Connection: close\r\n\r\n") as client:
            data = b"".join(iter(lambda: client.recv(1 << 16), b"")).decode("utf-8")
        return int(data.split()[1]), data.partition("\r\n\r\n")[2]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    started = Served(tmp_path)
    yield started
    started.process.kill()
    started.process.wait()


def test_only_this_machine_by_its_own_names_is_answered(served: Served) -> None:
    own = ["127.0.0.1", "localhost", "LOCALHOST", "LocalHost:80", "[::1]", f"[::1]:{served.port}", " localhost:1 "]
    assert {host: served.ask(host)[0] for host in own} == dict.fromkeys(own, 200)
    foreign = [
        "", "evil.example", "127.0.0.1:evil.example", "127.0.0.1:80@evil.example", "127.0.0.1:", "127.0.0.1.", "::1",
        "localhost.evil.example", "evil.example:127.0.0.1", "[::1", "127.0.0.2", "localhost:\N{ARABIC-INDIC DIGIT ONE}",
    ]  # fmt: skip
    assert {host: served.ask(host)[0] for host in foreign} == dict.fromkeys(foreign, 403)
    assert served.ask()[0] == 403
    for both in (("localhost", "evil.example"), ("evil.example", "localhost"), ("localhost", "localhost")):
        assert served.ask(*both)[0] == 400


def test_an_address_that_is_none_is_a_bad_request(served: Served) -> None:
    for path in ("http://[x/flow", "http://[::1/", "http://[/flow?have=1"):
        assert served.ask("localhost", path=path)[0] == 400
    assert served.ask("localhost")[0] == 200


def test_a_client_that_goes_away_is_not_told_of(served: Served) -> None:
    served.file.write_text(f"// {'x' * 4_000_000}\n" + KERNEL, encoding="utf-8")  # more than a socket takes at once
    for _ in range(3):
        client = served.send("GET /flow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # closing resets
        assert client.recv(1) == b"H"
        client.close()
    assert served.ask("localhost")[0] == 200
    assert served.errors.read_text() == ""


def _large(file: Path) -> None:
    with file.open("wb") as out:
        out.truncate(1 << 34)


ODD: list[tuple[Callable[[Path], object], str]] = [
    (os.mkfifo, "is a pipe or a device"),
    (lambda file: file.symlink_to("/dev/zero"), "is a pipe or a device"),
    (lambda file: file.mkdir(), "is a folder"),
    (lambda file: file.symlink_to(file), "cannot be read"),
    (_large, "is over 16 MiB"),
    (lambda file: file.write_bytes(b"a\0b"), "is a binary file"),
]


def test_what_is_no_file_is_told_and_the_file_is_served_when_it_is_back(served: Served) -> None:
    for make, said in ODD:
        served.file.unlink()
        make(served.file)
        status, text = served.ask("localhost")
        assert (status, said in text) == (500, True), text
        if served.file.is_dir() and not served.file.is_symlink():
            shutil.rmtree(served.file)
        else:
            served.file.unlink()
        served.file.write_text(KERNEL, encoding="utf-8")
        assert served.ask("localhost")[0] == 200
    assert served.errors.read_text() == ""


def test_a_pipe_is_not_served(croq: Croq) -> None:
    os.mkfifo("pipe.co")
    outcome = croq("flow", "pipe.co", "--serve")
    assert (outcome.status, "is a pipe or a device" in outcome.err) == (2, True)


def test_what_never_ends_is_read_to_the_limit(croq: Croq) -> None:
    outcome = croq("check", "/dev/zero")
    assert (outcome.status, "is over 16 MiB" in outcome.err) == (2, True)
