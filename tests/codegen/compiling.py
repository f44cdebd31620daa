"""NVRTC for tests: a unit compiled, and what ptxas said of it."""

from __future__ import annotations

import re
from functools import cache

from croqc.engines.gpu.compile import compiled
from croqc.service.check import FileReport, FunctionReport
from croqc.service.lowering import Lowered, lower_function, sizes_of

# What ptxas calls a loss, and C7517: it waits for multiplies in flight in our place.
_LOSSES = re.compile(r"Potential Performance Loss|wgmma\.wait_group is injected")
_SPILL = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


@cache
def log_of(code: str, arch: str) -> str:
    """The log of NVRTC and ptxas. Raises CompileError where the code is refused."""
    return compiled(code, arch).log


def complaints(log: str) -> list[str]:
    """What a log holds against the code: registers spilled, multiplies serialised, waits that were missing."""
    spills = [pair for pair in _SPILL.findall(log) if pair != ("0", "0")]
    losses = [line for line in log.splitlines() if _LOSSES.search(line)]
    return [*(f"spills {stores} and {loads} bytes" for stores, loads in spills), *losses]


def lowered(report: FileReport, function: FunctionReport) -> Lowered:
    return lower_function(report, function, sizes_of(report, function))
