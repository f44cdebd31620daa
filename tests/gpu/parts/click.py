"""From the click to the verified result of a GEMM of 4096^3: a warm server (the child runs, its libraries are loaded),
a cold kernel cache. All of it counts: reading the file, its credit flow, lowering, NVRTC, data, run, judgement, timing.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

from croqc.engines.gpu.parent import Parent, child_command
from croqc.engines.gpu.protocol import ROUNDS
from croqc.service.check import check_file
from croqc.service.run import run_planned
from croqc.service.run_plan import CardRequest, Request, plan_runs
from tests.gpu.cases import EXAMPLES

FILE: Final = "gemm_f16.co"
WARM: Final = "pipeline_1p2c.co"  # the same types and sizes, another kernel
SIZES: Final = {"M": 4096, "N": 4096, "K": 4096}
CLICKS: Final = 5


def clicked(file: str, sizes: Mapping[str, int], card: Parent) -> dict[str, Any]:
    """One click. Seconds: `total`, of which `check` until there is something to run and `nvrtc`."""
    start = time.perf_counter()
    report = check_file(EXAMPLES / file)
    request = Request(sizes=sizes, card=CardRequest(rounds=ROUNDS))
    planned = plan_runs(report, request)[0]
    checked = time.perf_counter()
    found = run_planned(report, planned, request, None, card)
    total = time.perf_counter() - start
    result = found.result
    return {
        "verdict": result.verdict.value,
        "message": found.message,
        "notes": list(found.notes),
        "check": round(checked - start, 3),
        "nvrtc": round(result.compile_time, 3),
        "total": round(total, 3),
    }


def click(card: Parent, file: str = FILE, warm: str = WARM, sizes: Mapping[str, int] = SIZES) -> dict[str, Any]:
    """Five clicks, each with a kernel cache that has never seen the kernel; `median` of each figure."""
    rows = []
    for _ in range(CLICKS):
        with tempfile.TemporaryDirectory() as cache, Parent([*card.command[:-1], cache], card.clocks) as own:
            first = clicked(warm, sizes, own)
            assert first["verdict"] == "verified", first
            rows.append(clicked(file, sizes, own))
            print(rows[-1], flush=True)
    return {
        "kernel": f"{file}: {' '.join(f'{name}={value}' for name, value in sizes.items())}",
        "rows": rows,
        "median": {key: median(row[key] for row in rows) for key in ("check", "nvrtc", "total")},
    }


def main() -> None:
    """This part alone."""
    with Parent(child_command(Path(tempfile.gettempdir()))) as card:
        print(click(card)["median"])


if __name__ == "__main__":
    main()
