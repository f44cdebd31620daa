"""Parents of fake children and of the real one on a stub of CuPy, and jobs for them. Must not assert."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from croqc.engines.gpu.parent import Clocks, Parent, child_command
from croqc.engines.gpu.protocol import Argument, Array, Job, Launch

SCRIPT = Path(__file__).with_name("fake_child.py")
LAUNCH = Launch("scale", (4, 1, 1), 128, 0, (Argument("pointer", "x"), Argument("s32", value=3)))
JOB = Job("/nowhere", "code", "sm_90a", (Array("x", 16, True),), (LAUNCH,))


def command(manner: str, *words: object) -> list[str]:
    return [sys.executable, "-S", "-E", str(SCRIPT), manner, *map(str, words)]


def parent(manner: str, *words: object, **options: Any) -> Parent:
    options.setdefault("clocks", Clocks(start=20.0, compile=20.0, data=20.0))
    return Parent(command(manner, *words), **options)


STUB = Path(__file__).with_name("stub")


def on_stub(monkeypatch: pytest.MonkeyPatch, cache: Path, what: str = "", adds: int = 0) -> Parent:
    """The real child, compiling for real, whose CuPy is the stub: `what` chooses its manners, `adds`: its kernels add
    so many elements."""
    monkeypatch.setenv("STUB", what)
    monkeypatch.setenv("STUB_ADDS", str(adds))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(STUB), os.environ.get("PYTHONPATH", "")]))
    return Parent(child_command(cache))


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
