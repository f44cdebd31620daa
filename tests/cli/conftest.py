"""Run `croq` as a person does and keep what it printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from croqc.cli.main import main


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


Croq = Callable[..., Outcome]


@pytest.fixture
def croq(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Croq:
    """`croq(*words)` in an empty folder; paths in the output are relative to it."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Outcome:
        try:
            status = main([str(word) for word in words])
        except SystemExit as stop:
            status = int(stop.code or 0)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return Outcome(status, captured.out, captured.err)

    return run
