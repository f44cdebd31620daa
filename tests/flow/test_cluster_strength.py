"""A kernel whose blocks write each other's buffers is never called proved: one block is followed."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import analyze_flow
from croqc.flow.report import Strength
from croqc.service.check import check_text

KERNEL = """__co__ void f(global f16 [M, K] a, global f16 [M, K] b) {{
  parallel g by cdiv(M, 128) : block {{
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] a_s[2];
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          wait empty.at(k);
          h = tma.copy.async{modifier} a.subspan(64, 64).at(g, k) => a_s[k % 2];
          trigger full.at(k) after h;
        }}
      }}
      inthreads.async (w == 1) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          wait full.at(k);
          dma.copy a_s[k % 2] => b.subspan(64, 64).at(g, k);
          trigger empty.at(k);
        }}
      }}
    }}
  }}
}}
"""


@pytest.mark.parametrize(("modifier", "strength"), [("", Strength.PROVED), (".multicast", Strength.CHECKED)])
def test_multicast_is_checked_at_most(modifier: str, strength: Strength) -> None:
    (function,) = check_text(KERNEL.format(modifier=modifier)).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model)
    assert (flow.findings, flow.strength) == ((), strength)
