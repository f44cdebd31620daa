"""What a start costs: `croq check` from nothing, beside the interpreter alone and beside NumPy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.perf.kernels import hundred_lines
from tests.perf.timing import PASS, Figure, seconds_of


def figures() -> Iterator[Figure]:
    yield Figure("python -c pass", seconds_of(PASS), command=True)
    yield Figure("python -c 'import numpy'", seconds_of((sys.executable, "-c", "import numpy")), command=True)
    text = hundred_lines()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.co"
        path.write_text(text, encoding="utf-8")
        command = (sys.executable, "-m", "croqc.cli.main", "check", str(path))
        what = f"croq check, {text.count(chr(10))} lines, cold"
        yield Figure(what, seconds_of(command), 0.25, command=True)
