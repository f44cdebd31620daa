"""Where data decides, the place is the condition that asks for it, however it is written, and the words say so."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET, analyze_flow
from croqc.flow.report import Strength
from croqc.service.check import check_text

TEXT = """{macro}__co__ void f(global s32 [R, C] src, global s32 [R, C] dst, global s32 [R] n) {{
  parallel b by R : block {{
    shared event full[2], empty[2] = ready;
    shared s32 [1, 16] ring[2];
    {front}
    parallel p by 2 : group-4 {{
      inthreads.async (p == 0) {{
        foreach {{k}} in [{turns}] {{
          wait empty[k % 2];
          dma.copy src.subspan(1, 16).at(b, k) => ring[k % 2];
          trigger full[k % 2];
        }}
      }}
      inthreads.async ({role}) {{
        {inside}
        foreach {{k}} in [{turns}] {{
          wait full[k % 2];
          dma.copy ring[k % 2] => dst.subspan(1, 16).at(b, k);
          if ({when}) {{ trigger empty[k % 2]; }}
        }}
      }}
    }}
  }}
}}
"""
PLAIN = {"macro": "", "front": "", "turns": "cdiv(C, 16)", "role": "p == 1", "inside": "", "when": "n.at(b) > 0"}


@pytest.mark.parametrize(
    ("parts", "place", "reason"),
    [
        ({}, "n.at(b) > 0", "depends on data"),
        ({"when": "n.at(b) > k"}, "n.at(b) > k", "depends on data"),
        ({"front": "int m = n.at(b);", "when": "m > k"}, "m > k", "depends on data"),
        ({"front": "int m = n.at(b);", "when": "k % 2 == m"}, "k % 2 == m", "depends on data"),
        ({"front": "int m = n.at(b);", "when": "k + m < C"}, "k + m < C", "depends on data"),
        ({"inside": "mutable int m = n.at(b);", "when": "m > k"}, "m > k", "depends on data"),
        ({"inside": "mutable int m = 0; m = n.at(b) + 1;", "when": "m > k"}, "m > k", "depends on data"),
        ({"macro": "#define GO(k) n.at(b) > k\n", "when": "GO(k)"}, "GO(k)", "depends on data"),
        ({"turns": "4", "front": "int m = n.at(b);", "when": "m > k"}, "m > k", "depends on data"),
        ({"role": "p == n.at(b)", "when": "true"}, "p == n.at(b)", "depends on data"),
        (
            {"front": "int m = n.at(b);", "turns": "m", "when": "m > k"}, "[m]", "how often this runs depends on data"
        ),
    ],
)  # fmt: skip
def test_the_condition_on_data_is_named(parts: dict[str, str], place: str, reason: str) -> None:
    text = TEXT.format(**{**PLAIN, **parts})
    (function,) = check_text(text).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, CHECK_BUDGET)
    assert flow.place is not None
    shown = function.parsed.source.text[flow.place.start : flow.place.end]
    assert (flow.strength, flow.reason, shown, flow.findings) == (Strength.UNKNOWN, reason, place, ())
