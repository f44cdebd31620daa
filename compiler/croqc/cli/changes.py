"""Showing or writing changed texts, for `fix` and `fmt`. Must not make the changes."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path


def print_diff(path: Path, before: str, after: str) -> None:
    """A unified diff on standard output."""
    name = path.as_posix().lstrip("/")
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    for line in lines:
        sys.stdout.write(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
