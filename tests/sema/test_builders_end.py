"""An analysis leaves its model behind, and nothing of what made it."""

from __future__ import annotations

import gc

from croqc.sema.builder import Builder
from croqc.service.check import check_text

TEXT = """__device__ void look(int v) {}
__co__ void f%d(global s32 [N] x) {
  parallel b by 4 : block, t by 64 : thread {
    mutable int n = 0;
    while (n < t) { sync.shared; call look(n); n += 1; }
    x.at(b) = n;
  }
}
"""


def test_no_builder_outlives_its_analysis() -> None:
    reports = [check_text(TEXT % number) for number in range(3)]
    gc.collect()
    assert all(report.functions[0].analysis is not None for report in reports)
    assert not [each for each in gc.get_objects() if type(each) is Builder]
