"""How long it takes from nothing to a verified result."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from croqc.engines.gpu.parent import Parent, child_command
from croqc.service.run_plan import CardRequest
from tests.gpu.cases import cases, run


def starts(card: Parent) -> dict[str, float]:
    """Seconds to a verified result of a GEMM: a fresh child and an empty cache, then warm."""
    case = next(case for case in cases() if case.file.name == "persistent_1p2c.co")
    found = {}
    with tempfile.TemporaryDirectory() as cache, Parent(child_command(Path(cache))) as fresh:
        for name in ("fresh child, empty cache", "warm child, warm cache"):
            start = time.perf_counter()
            verdict = run(case, fresh, CardRequest()).result.verdict.value
            found[f"{name} ({verdict})"] = round(time.perf_counter() - start, 3)
    return found
