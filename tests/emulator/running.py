"""Runs files and texts of the language in the emulator, with the engine's own judging. Must not judge itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from croqc.cli.run import recheck
from croqc.service.check import check_file
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import CardRequest, Request
from croqc.service.settings import Settings
from tests.emulator.emulator import Emulator


def emulated(
    file: Path,
    entry: str | None = None,
    sizes: Mapping[str, int] = {},
    emulator: Emulator | None = None,
    arch: str | None = None,
) -> list[RunReport]:
    """All runs that the file asks for, or those of `entry`. The verdict of the credit flow keeps none from running."""
    settings = Settings(arch) if arch else Settings()
    request = Request(entry, sizes, card=CardRequest(force=True))
    way = emulator or Emulator()
    return list(run_file(check_file(file, settings), request, partial(recheck, file, settings), None, way))


def wrong(reports: list[RunReport]) -> list[str]:
    """What is not verified, in words."""
    return [
        f"{report.function}: {report.result.verdict.value} {report.message}"
        for report in reports
        if report.result.verdict.value not in ("verified", "consistent")
    ]
