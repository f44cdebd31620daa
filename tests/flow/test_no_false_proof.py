"""What fails only at sizes far from those that are tried is never called proved."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET, analyze_flow
from croqc.flow.report import KernelFlow, Strength
from croqc.service.check import check_text

KERNEL = """__co__ void f(global f16 [M, K] a, global f16 [M, K] b, int J) {{
  parallel g by cdiv(M, 64) : block {{
    shared event full[2], empty[2] = ready;
    shared f16 [64, 64] a_s[2];
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          wait empty.at(k);
          dma.copy a.subspan(64, 64).at(g, k) => a_s[k % 2];
          {guard} trigger full.at(k);
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
RING = """
    shared event full{n}[{slots}], empty{n}[{slots}] = ready;
    parallel w by 2 : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [{size}] {{
          wait empty{n}.at(k);
          {guard} trigger full{n}.at(k);
        }}
      }}
      inthreads.async (w == 1) {{
        foreach {{k}} in [{size}] {{
          wait full{n}.at(k);
          trigger empty{n}.at(k);
        }}
      }}
    }}
"""


def flow_of(text: str, budget: int = CHECK_BUDGET) -> KernelFlow:
    (function,) = check_text(text).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, budget)
    return flow


def test_without_a_guard_it_is_proved() -> None:
    assert flow_of(KERNEL.format(guard="")).strength is Strength.PROVED


@pytest.mark.parametrize(
    "guard",
    [
        *("if (K < 4000)", "if (K % 97 != 50)", "if (K * K != 10000)", "if (K != J + 300)"),
        *("if (J % 10 != 7 || K < 3)", "if (g != 5)", "if (g < 7 && K > 0)"),
    ],
)
def test_a_condition_on_sizes_alone_is_checked_at_most(guard: str) -> None:
    assert flow_of(KERNEL.format(guard=guard)).strength in (Strength.CHECKED, Strength.FAILS)


@pytest.mark.parametrize(
    ("extent", "guard"),
    [
        *(("64", "if (k < cdiv(K, 64))"), ("64", "if (k * 64 < K)"), ("64", "if (k < J)")),
        *(("cdiv(K, 64) + g", ""), ("g", ""), ("(g + 1) * 2", "")),
    ],
)
def test_turns_that_depend_on_sizes_or_blocks_otherwise_are_checked_at_most(extent: str, guard: str) -> None:
    text = KERNEL.format(guard=guard).replace(
        "[cdiv(K, 64)] {\n          wait empty", f"[{extent}] {{\n          wait empty"
    )
    assert flow_of(text).strength in (Strength.CHECKED, Strength.FAILS)


@pytest.mark.parametrize("extent", ["count > 2 ? 7 : 9", "count", "count + cdiv(K, 64)"])
def test_turns_that_depend_on_data_are_not_analysed(extent: str) -> None:
    text = KERNEL.format(guard="").replace("[cdiv(K, 64)]", f"[{extent}]")
    text = text.replace("    parallel w by", "    count = lengths.at(g);\n    parallel w by")
    text = text.replace("int J", "int J, global s32 [M] lengths")
    flow = flow_of(text)
    assert (flow.strength, flow.findings) == (Strength.UNKNOWN, ())
    assert flow.place is not None


@pytest.mark.slow
def test_three_independent_rings_with_a_late_fault_are_not_proved() -> None:
    rings = "".join(
        RING.format(n=n, slots=slots, size=size, guard=guard)
        for n, slots, size, guard in ((0, 3, "A", "if (A < 19)"), (1, 3, "B", ""), (2, 2, "C", ""))
    )
    text = (
        f"__co__ void f(global f16 [A, B] a, global f16 [C, 8] c) {{\n  parallel g by 1 : block {{\n{rings}  }}\n}}\n"
    )
    assert flow_of(text).strength in (Strength.CHECKED, Strength.FAILS)
