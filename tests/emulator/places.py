"""Turns the addresses of a fault into lines of the generated code. Must not run the program."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.emulator.translate import SHOWN_AS


def told(report: str, program: Path, code: str) -> str:
    """The fault on standard error (machine/faults.h), with the line of the kernel at each place."""
    lines = code.splitlines()
    found = []
    block = thread = ""
    for line in report.splitlines():
        word, _, rest = line.partition(" ")
        if word == "fault":
            found.append(rest)
        elif word == "thread":
            block, thread = rest.split(" ")
        elif word == "waits":
            count, _, what = rest.partition(" ")
            others = f" and {int(count) - 1} more" if int(count) > 1 else ""
            found.append(f"block {block} thread {thread}{others} at {what}")
        elif word == "stack":
            place = _line(rest.split(), program)
            single = len(found) == 1 and not found[0].startswith("a hang")
            where = [f"block {block} thread {thread}"] if thread and single else []
            where += [f"line {place}: {lines[place - 1].strip()}"] if place else []
            found[-1] += f" ({', '.join(where)})" if where else ""
    return "; ".join(found)


def _line(addresses: Sequence[str], program: Path) -> int | None:
    """The line of the outermost call in generated code: that of the kernel, not of a function it uses."""
    for before in (1, 0):  # a return address is behind its call, that of a signal is the place itself
        calls = [hex(int(address, 16) - before) for address in addresses]
        command = ["addr2line", "-i", "-e", str(program), *calls]
        places = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if found := re.findall(rf"\b{re.escape(SHOWN_AS)}:(\d+)", places):
            return int(found[-1])
    return None
