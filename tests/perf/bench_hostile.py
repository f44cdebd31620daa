"""What a verdict on kernels that are large on purpose costs, at both budgets. Prints figures, judges none.

Run it with `PYTHONPATH=. .venv/bin/python tests/perf/bench_hostile.py [WORD]`; a word picks the kernels named with it.
"""

from __future__ import annotations

import sys
from time import process_time

from croqc.flow.analysis import CHECK_BUDGET, TYPING_BUDGET, analyze_flow
from croqc.service.check import check_text
from croqc.service.memory import collect_seldom
from tests.flow.hostile import HOSTILE


def measure(name: str) -> str:
    """A line: processor seconds of the front end and of a verdict at each budget, and how far that reaches."""
    start = process_time()
    (function,) = check_text(HOSTILE[name]()).functions
    assert function.analysis is not None
    times = [process_time() - start]
    said = []
    for budget in (TYPING_BUDGET, CHECK_BUDGET):
        start = process_time()
        flow = analyze_flow(function.analysis.model, budget)[-1]
        times.append(process_time() - start)
        said.append(f"{flow.strength.value} {flow.tried[:40]}".strip())
    return f"{name:42s} " + " ".join(f"{each:6.2f}" for each in times) + f"  {said[0]}; {said[1]}"


if __name__ == "__main__":
    collect_seldom()
    for each in HOSTILE:
        if all(word in each for word in sys.argv[1:]):
            print(measure(each), flush=True)
