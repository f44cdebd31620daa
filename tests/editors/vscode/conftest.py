"""What the tests in VS Code share: one code-server a worker, and the extension unpacked as its users get it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.vscode.code_server import (
    VSIX,
    CodeServer,
    bundle_tests,
    python_with_croqtile,
    python_without_croqtile,
    ready,
    unpack,
)


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the extension, with the suites that run inside VS Code beside it."""
    missing = ready()
    assert missing is None, missing
    folder = unpack(VSIX, tmp_path_factory.mktemp("extension"))
    bundle_tests(folder)
    return folder


@pytest.fixture(scope="session")
def vscode(tmp_path_factory: pytest.TempPathFactory, extension: Path) -> Iterator[CodeServer]:
    """A VS Code that trusts what it opens, on a machine whose own Python has no croqtile-tools."""
    server = CodeServer(tmp_path_factory.mktemp("vscode"), trust=False)
    python_without_croqtile(server.bin / "python3")
    python_without_croqtile(server.bin / "python")
    server.install(VSIX)
    server.start()
    yield server
    left = server.stop()
    assert left == []


@pytest.fixture
def careful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    """A VS Code that asks for trust, of a user without a home, on a machine whose own Python has croqtile-tools."""
    server = CodeServer(tmp_path_factory.mktemp("careful"), trust=True, user_home=Path("/nonexistent"))
    python_with_croqtile(server.bin / "python3")
    server.start()
    yield server
    left = server.stop()
    assert left == []
