"""GEMM kernels as people write them, drawn over tile widths, consumers, persistence, producers and epilogues: ptxas
makes machine code of each, spills nothing and has nothing to say of `setmaxnreg` or wgmma (its notes C75xx)."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest

from croqc.service.check import check_text
from tests.codegen.compiling import complaints, log_of, lowered
from tests.codegen.gemms import Shape, text_of

EVERY = [
    shape
    for each in product(range(64, 257, 16), (1, 2, 3), (False, True), (False, True), ("direct", "own", "block"))
    if (shape := Shape(*each)).fits
]
DRAWN = random.Random(16).sample(EVERY, 12)
FOUND = [  # each went wrong once
    Shape(128, 2, True, False, "block"),  # spilled whole: setmaxnreg in the loop over tiles
    Shape(256, 2, True, False, "block"),
    Shape(256, 3, False, False, "direct"),  # no machine code: one instruction wants more than an even share
    Shape(256, 3, False, True, "direct"),  # and no setmaxnreg, for a thread is no warpgroup
    Shape(256, 3, False, False, "block"),
    Shape(64, 3, False, False, "direct"),  # setmaxnreg ignored (C7508)
]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [*FOUND, *DRAWN], ids=lambda shape: "-".join(map(str, shape)))
def test_ptxas_has_nothing_to_say(shape: Shape) -> None:
    report = check_text(text_of(shape))
    assert [item.message for item in report.diagnostics if item.severity.value == "error"] == []
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    log = log_of(item.program.unit.text, "sm_90a")
    assert re.search(r"Used \d+ registers", log)  # the log that is judged is there
    assert complaints(log) == []
