"""What Linux tells of a process and of those below it. Must not end or start any."""

from __future__ import annotations

import os
from pathlib import Path


def below(pid: int) -> set[int]:
    """The processes below one, not itself."""
    found: set[int] = set()
    above = {pid}
    while above:
        paths = [path for one in above for path in Path(f"/proc/{one}/task").glob("*/children")]
        above = {int(number) for path in paths for number in _read(path).split()} - found
        found |= above
    return found


def seconds(pid: int) -> float:
    """Processor time so far; 0 of one that is gone."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def is_at_work(pid: int) -> bool:
    """Whether it runs, or waits for a core or a disk."""
    fields = _stat(pid)
    return bool(fields) and fields[0] in ("R", "D")


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` behind the name; none of a process that is gone."""
    return _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()


def _read(path: Path) -> str:
    """Empty for a process or thread that is gone by now."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
