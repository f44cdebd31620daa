"""Measuring: the fastest of some runs, in this process or in another one, and the table of what was measured.

Ratios make figures of different machines comparable: those of commands count `python -c pass`, those of calls count
a fixed loop of pure Python (`reference`), both measured in the same run. Must not judge.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from time import process_time

PASS = (sys.executable, "-c", "pass")


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the table. `seconds` of the fastest run; `goal` in seconds, None where none is set."""

    what: str
    seconds: float
    goal: float | None = None
    command: bool = False  # compared with `python -c pass`, else with the loop

    def row(self) -> tuple[str, str, str, str]:
        unit = seconds_of(PASS) if self.command else reference()
        name = "python -c pass" if self.command else "loop"
        goal = "" if self.goal is None else _shown(self.goal)
        return self.what, _shown(self.seconds), goal, f"{self.seconds / unit:.3g} {name}"


def best(run: Callable[[], object], rounds: int = 40, clock: Callable[[], float] = process_time) -> float:
    """Seconds of the fastest of some calls: processor time, or by the wall clock where several cores work."""
    times = []
    for _ in range(rounds):
        start = clock()
        run()
        times.append(clock() - start)
    return min(times)


@cache
def seconds_of(command: tuple[str, ...], rounds: int = 10) -> float:
    """Processor seconds, user and system, of the fastest of some runs of a command: what a quiet core would take.

    Python's bytecode is at hand, as an installation leaves it.
    """
    with TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        _processor_seconds(command, environment)  # writes the bytecode
        return min(_processor_seconds(command, environment) for _ in range(rounds))


def _processor_seconds(command: tuple[str, ...], environment: dict[str, str]) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@cache
def reference() -> float:
    """Seconds of a loop over a hundred thousand integers: about five milliseconds."""

    def loop() -> int:
        total = 0
        for number in range(100_000):
            total += number % 7
        return total

    return best(loop, 50)


def table(figures: Sequence[Figure]) -> str:
    """The figures as a Markdown table."""
    rows = [("figure", "measured", "at most", "ratio"), *(figure.row() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _shown(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"
