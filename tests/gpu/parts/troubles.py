"""What must harm nothing: a kernel that crashes, a job that asks for too much memory."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from typing import Any

from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.faults import Trouble
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.protocol import Array, Job
from croqc.engines.gpu.run import CardOptions, run_on_card
from croqc.service.check import check_text
from croqc.service.run_data import make_data
from croqc.service.run_plan import CardRequest, Request, plan_runs
from tests.gpu.cases import cases, lowering, run

OUTSIDE = """
__co__ void scatter(global s32 [N] where_to, global s32 [N] y) {
  parallel i by N : block {
    y.at(where_to.at(i) * 100000000) = 1;
  }
}
"""


def crash(card: Parent) -> dict[str, Any]:
    """A kernel that writes far outside, then a sound one: the crash must harm nothing else."""
    report = check_text(OUTSIDE)
    request = Request(sizes={"N": 64}, card=CardRequest())
    planned = plan_runs(report, request)[0]
    # The simulator would stop at the index, and there is no expectation: the engine alone is asked.
    analysis = planned.function.analysis
    assert analysis is not None
    data = make_data(analysis.model, planned.sizes, 0)
    args = LaunchArgs(data.arrays, data.scalars, data.dims)
    lower = lowering(report, planned)
    result = run_on_card(analysis.model, lower, args, card, CardOptions(report.target.name))
    sound = next(case for case in cases() if case.file.name == "add.co")
    return {
        "trouble": None if result.trouble is None else {**asdict(result.trouble), "kind": result.trouble.kind.value},
        "afterwards": run(sound, card, CardRequest()).result.verdict.value,
    }


def too_large(card: Parent) -> dict[str, Any]:
    """A job that asks for a tebibyte."""
    with tempfile.TemporaryDirectory() as folder:
        code = 'extern "C" __global__ void nothing() {}\n'
        outcome = card.run(Job(folder, code, "sm_90a", (Array("x", 1 << 40, given=False),)))
    assert isinstance(outcome, Trouble), outcome
    return {**asdict(outcome), "kind": outcome.kind.value}
