"""Golden files: the text that a stage gave when somebody last looked. `pytest --update-goldens` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest


def compare(path: Path, text: str, request: pytest.FixtureRequest) -> None:
    """Fails where the text is not the golden one; with the flag it becomes the golden one."""
    if request.config.getoption("--update-goldens"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"{path.name} is missing; make it with --update-goldens and read it"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; read the change, then --update-goldens"
