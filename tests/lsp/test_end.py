"""The end of a server: all that was asked is answered, whoever is in a hurry."""

from __future__ import annotations

import shlex
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.bare import COMMAND, INITIALIZE
from tests.lsp.frames import framed, messages
from tests.lsp.test_addresses import HANGS

URI = "untitled:k.co"
DOCUMENT = {"textDocument": {"uri": URI}}
OPENED = {"uri": URI, "languageId": "croqtile", "version": 1, "text": HANGS}
RUN = {"command": "croqtile.run", "arguments": [URI, {"engine": "sim"}]}


def test_what_is_under_way_at_the_end_is_answered(tmp_path: Path) -> None:
    """All of a session in one file, as a client that is in a hurry sends it."""
    session: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": INITIALIZE},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": OPENED}},
        {"id": 2, "method": "textDocument/hover", "params": DOCUMENT | {"position": {"line": 4, "character": 6}}},
        {"id": 3, "method": "croqtile/flow", "params": DOCUMENT},
        {"id": 4, "method": "workspace/executeCommand", "params": RUN},
        {"id": 5, "method": "shutdown"},
        {"method": "exit"},
    ]
    (tmp_path / "in").write_bytes(b"".join(framed({"jsonrpc": "2.0"} | one) for one in session))
    with (tmp_path / "in").open("rb") as given:
        done = subprocess.run(COMMAND, stdin=given, capture_output=True, timeout=100, check=False)
    said = messages(BytesIO(done.stdout))
    assert sorted(one["id"] for one in said if "method" not in one) == [1, 2, 3, 4, 5]
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("closed", ["0<&-", "1>&-"])
def test_without_a_way_to_a_client_it_says_so(closed: str) -> None:
    command = ["sh", "-c", f"exec {shlex.join(COMMAND)} {closed}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False)
    assert done.returncode == 1
    assert done.stderr == b"croqls: it talks to an editor over standard input and output, and one of them is closed\n"
