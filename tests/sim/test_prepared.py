"""A function that was prepared gives in each run what it gives by itself, whatever ran before."""

from __future__ import annotations

import numpy as np

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.simulate import Prepared, SimOptions, simulate
from croqc.sema.analyze import analyze
from croqc.sema.model import Context, Model
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS

TEXT = """__co__ void f(global s32 [C] a, int n) {
  parallel t by n : thread { a.at(t) = t + n; }
}
"""


def model(text: str) -> Model:
    function = parse_file(text).functions[0].tree
    assert function is not None
    return analyze(function, Context(TARGETS["sm_90a"])).model


def test_blocks_of_other_sizes_do_not_see_the_threads_of_earlier_ones() -> None:
    prepared = Prepared(model(TEXT))
    for n in (4, 7, 2, 7, 64, 4):
        result = simulate(prepared, LaunchArgs({"a": np.zeros(n, np.int32)}, {"n": n}), SimOptions(workers=1))
        assert result.error is None
        assert result.outputs["a"].tolist() == [t + n for t in range(n)]


def test_hangs_and_steps_are_those_of_a_run_by_itself() -> None:
    text = """__co__ void f(global s32 [8] a, int n) {
      parallel b by 1 : block {
        shared event full;
        parallel p by 2 : group-4 {
          inthreads.async (p == 0) { if (n > 1) { trigger full; } }
          inthreads.async (p == 1) { wait full; }
        }
      }
    }"""
    prepared, alone = Prepared(model(text)), model(text)
    for n, hangs in ((1, True), (2, False), (1, True)):
        args = LaunchArgs({"a": np.zeros(8, np.int32)}, {"n": n})
        for exact in (False, True):
            options = SimOptions(seed=n, exact=exact, workers=1)
            result = simulate(prepared, args, options)
            assert bool(result.hang) == hangs
            assert (result.steps, result.hang) == (simulate(alone, args, options).steps, result.hang)
