"""Every case of the given sizes 50 times on the card: the same bits."""

from __future__ import annotations

import hashlib
from typing import Any

from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.run import CardOptions, run_on_card
from croqc.service.run_data import make_data
from croqc.service.run_plan import Request
from tests.gpu.cases import given, lowering, name_of, plan

REPEATS = 50


def repeats(card: Parent) -> list[dict[str, Any]]:
    """How many different bits there were. `atomics`: equal bits are not promised."""
    found = []
    for case in given():
        report, planned = plan(case, Request())
        analysis = planned.function.analysis
        assert analysis is not None
        data = make_data(analysis.model, planned.sizes, 0)
        args = LaunchArgs(data.arrays, data.scalars, data.dims)
        lower = lowering(report, planned)
        digests = set()
        troubles = set()
        for _ in range(REPEATS):
            result = run_on_card(analysis.model, lower, args, card, CardOptions(report.target.name))
            if result.error or result.hung:
                troubles.add(result.error.message if result.error else "hangs")
                break
            arrays = dict(result.outputs) | ({} if result.result is None else {"": result.result})
            bits = [arrays[name].tobytes() for name in sorted(arrays)]  # type: ignore[union-attr]
            digests.add(hashlib.sha256(b"".join(bits)).hexdigest())
        atomics = "atomic" in case.file.read_text(encoding="utf-8")
        row = {"case": name_of(case), "different": len(digests), "atomics": atomics, "troubles": sorted(troubles)}
        print(row, flush=True)
        found.append(row)
    return found
