"""From the click to the verified result of a GEMM of 4096^3: a warm server (the child runs, its libraries are loaded),
a cold kernel cache. All of it counts: reading the file, its credit flow, lowering, NVRTC, data, run, judgement, timing.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

from croqc.engines.gpu.faults import Trouble
from croqc.engines.gpu.lock import lock_path
from croqc.engines.gpu.parent import Parent, child_command
from croqc.engines.gpu.protocol import ROUNDS, RUN_SECONDS, Answer, Job
from croqc.service.check import check_file
from croqc.service.run import run_planned
from croqc.service.run_plan import CardRequest, Request, plan_runs
from tests.gpu.cases import EXAMPLES
from tests.gpu.held import held

FILE: Final = "gemm_f16.co"
WARM: Final = "pipeline_1p2c.co"  # the same types and sizes, another kernel
SIZES: Final = {"M": 4096, "N": 4096, "K": 4096}
CLICKS: Final = 5


class Watched(Parent):
    """A parent that keeps how long each stage of the last job took in the child."""

    phases: Mapping[str, float] = {}

    def run(
        self, job: Job, timeout: float = RUN_SECONDS, cancelled: Callable[[], bool] = lambda: False
    ) -> Answer | Trouble:
        answer = super().run(job, timeout, cancelled)
        self.phases = answer.phases if isinstance(answer, Answer) else {}
        return answer


def clicked(file: str, sizes: Mapping[str, int], card: Watched) -> dict[str, Any]:
    """One click. Seconds: `total`, of which `check` until there is something to run, `nvrtc`, `phases` in the child;
    `host` is the rest: lowering, the job's files, starting a child that does not run yet."""
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
        "host": round(total - (checked - start) - sum(card.phases.values()), 3),
        "phases": {stage: round(seconds, 4) for stage, seconds in card.phases.items()},
    }


def click(card: Parent, file: str = FILE, warm: str = WARM, sizes: Mapping[str, int] = SIZES) -> dict[str, Any]:
    """Five clicks, each with a kernel cache that has never seen the kernel; `median` of each figure. `first`: those in
    front of them, which start the child, load its libraries and measure what the card reaches."""
    first, rows = [], []
    with held(card, "clicks"):
        for _ in range(CLICKS):
            with tempfile.TemporaryDirectory() as cache, Watched([*card.command[:-1], cache], card.clocks) as own:
                first.append(clicked(warm, sizes, own))
                rows.append(clicked(file, sizes, own))
                print(rows[-1], flush=True)
    stages = {stage: median(row["phases"].get(stage, 0.0) for row in rows) for stage in rows[-1]["phases"]}
    return {
        "kernel": f"{file}: {' '.join(f'{name}={value}' for name, value in sizes.items())}",
        "agree": all(row["verdict"] == "verified" for row in (*first, *rows)),
        "first": first,
        "rows": rows,
        "median": {key: median(row[key] for row in rows) for key in ("check", "nvrtc", "host", "total")},
        "phases": stages,
    }


def main() -> None:
    """This part alone."""
    with Parent(child_command(Path(tempfile.gettempdir())), lock=lock_path()) as card:
        found = click(card)
        print(found["median"], found["phases"])


if __name__ == "__main__":
    main()
