"""Multiplies in flight: nothing touches their registers before their group has ended."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croqc.service.check import check_file, check_text
from croqc.service.lowering import lower_file
from tests.codegen.compiling import complaints, log_of, lowered

COVERAGE = Path(__file__).parents[1] / "gpu/coverage"

REFILL = """// croq: run M=64 N=64 K=512
__co__ void matmul(global f16 [M, K] lhs, global f16 [N, K] rhs, global f32 [M, N] output) {
  parallel {block_m, block_n} by [cdiv(M, 64), cdiv(N, 64)] : block {
    shared f16 [64, 64] lhs_s;
    shared f16 [64, 64] rhs_s;
    parallel p by 1 : group-4 {
      acc = mma.fill.f32 0.0f;
      foreach {k} in [cdiv(K, 64)] {
        tma.copy.swiz<128> lhs.subspan(64, 64).at(block_m, k) => lhs_s;
        tma.copy.swiz<128> rhs.subspan(64, 64).at(block_n, k) => rhs_s;
        mma.row.row acc, lhs_s, rhs_s;
        if (k == 3) { mma.fill acc, 1.0f; }
        mma.commit;
      }
      mma.store acc, output.subspan(64, 64).at(block_m, block_n);
    }
  }
}
"""


def code(text: str) -> str:
    report = check_text(text)
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    return item.program.unit.text


def test_a_fill_ends_the_group_that_may_write_its_registers() -> None:
    body = code(REFILL)
    filled = r"wgmma_commit\(\);\s+wgmma_wait<0>\(\);\s+#pragma unroll\s+for \(auto& d : acc\) d = 1\.0f;"
    assert re.search(filled, body)
    assert complaints(log_of(body, "sm_90a")) == []


def test_the_first_fill_ends_nothing() -> None:
    body = code(REFILL)
    first = body[body.index('extern "C"') : body.index("for (int k = 0;")]
    assert "wgmma_wait<" not in first


def test_waits_that_the_assembler_adds_are_complaints() -> None:
    said = "ptxas info : (C7517) wgmma.wait_group is injected in around line 253 by compiler to allow use of registers"
    assert complaints(said) == [said]


LEFT_EARLY = REFILL.replace("if (k == 3) { mma.fill acc, 1.0f; }", "if (k == 3) { break; }")


def test_a_loop_that_is_left_between_multiply_and_commit_is_waited_for_in_front_of_the_store() -> None:
    body = code(LEFT_EARLY)
    behind = body[body.index("break;") :]
    waited = r"wgmma_wait<0>\(\);\s+}\s+wgmma_commit\(\);\s+wgmma_wait<0>\(\);\s+settle\(acc\);\s+#pragma unroll"
    assert re.search(waited, behind)
    assert complaints(log_of(body, "sm_90a")) == []


GUARDED = """// croq: run M=64 N=64 K=96
__co__ void guarded(global f16 [M, K] a, global f16 [N, K] b, global f32 [M, N] out) {
  parallel {i, j} by [M / 64, N / 64] : block {
    shared f16 [64, 64] a_s, b_s;
    parallel w by 1 : group-4 {
      c = mma.fill.f32 0.0f;
      foreach {k} in [cdiv(K, 64)] {
        tma.copy a.subspan(64, 64).at(i, k) => a_s;
        tma.copy b.subspan(64, 64).at(j, k) => b_s;
        foreach {step} in [4] {
          if (k * 64 + step * 16 < K) { mma.row.row c, a_s.chunkat(_, step), b_s.chunkat(_, step); }
        }
      }
      mma.store c, out.subspan(64, 64).at(i, j);
    }
  }
}
"""


def test_groups_that_a_condition_guards_end_inside_it() -> None:
    """Else the assembler serialises them, for the branch."""
    body = code(GUARDED)
    guarded = body[body.index("* 16 < K) {") :]
    assert re.match(r"[^}]*wgmma_fence\(\);[^}]*wgmma_commit\(\);\s+wgmma_wait<0>\(\);\s+}", guarded)
    assert complaints(log_of(body, "sm_90a")) == []


@pytest.mark.slow
def test_multiplies_that_are_complete_at_their_statements_stay_in_flight() -> None:
    for item in lower_file(check_file(COVERAGE / "multiplies_in_flight.co"), None, {}):
        assert item.program is not None, item.problem
        body = item.program.unit.text
        consumer = body.partition("// path w == 1")[2]
        assert re.findall(r"wgmma_wait<\d>", consumer) == ["wgmma_wait<1>", "wgmma_wait<0>"]
        assert complaints(log_of(body, "sm_90a")) == []
