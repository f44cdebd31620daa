"""The registers of a multiprocessor, alike on all targets (PTX ISA, .maxnreg, setmaxnreg). Must not give them out."""

from __future__ import annotations

from typing import Final

FILE: Final = 65536
STEP: Final = 8
"""The granularity in which threads get them."""
THREAD: Final = 255
"""What one thread can name."""
LEAST: Final = 24
"""What threads keep that give theirs to others."""


def share(registers: int, threads: int) -> int:
    """How many of some registers each of so many threads has at most."""
    return min(registers // threads // STEP * STEP, THREAD)
