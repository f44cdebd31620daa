"""More arrivals are counted than come: the story tells why, and the fix mends it."""

from __future__ import annotations

from croqc.text.edits import apply_edits
from tests.rules.mending import example, shown

CLUSTER = """__co__ void f(global f16 [M, K] src, global f16 [64, K] wt, global f16 [M, K] dst) {
  parallel c by 2 : cluster, b by cdiv(M, 32) : block {
    shared event full[2], empty[2];
    shared f16 [16, 64] s[2];
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2];
          tma.copy.multicast wt.subspan(16, 64).at(0, k) => s[k % 2];
          trigger full[k % 2];
        }
      }
      inthreads.async (w == 1) {
        foreach {i} in [2] { trigger empty[i]; }
        foreach {k} in [cdiv(K, 64)] {
          wait full[k % 2];
          dma.copy s[k % 2] => dst.subspan(16, 64).at(b * 2 + c, k);
          trigger.cluster empty[k % 2];
        }
      }
    }
  }
}
"""
STRAY = """__co__ void f(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [1, 8] buf[4];
    shared event full[4], empty[4] = ready;
    parallel w by 2 : group-4, t by 128 : thread {
      inthreads.async (w == 0 && t == 0) {
        foreach {k} in [cdiv(K, 8)] {
          wait empty[k % 4];
          dma.copy src.subspan(1, 8).at(b, k) => buf[k % 4];
          trigger full[k % 4];
        }
      }
      inthreads.async (w > 0) {
        foreach {k} in [cdiv(K, 8)] {
          wait full[k % 4];
          if (k == 100000) { trigger full[0]; }
          trigger empty[k % 4];
        }
      }
    }
  }
}
"""


def test_credits_at_start_for_the_own_block_alone() -> None:
    (item,) = shown(CLUSTER)
    assert item.message == "'empty' counts 2 arrivals a generation, one from each block, but its own alone at start"
    assert CLUSTER[item.span.start : item.span.end] == "trigger empty[i];"
    (fix,) = item.fixes
    mended = apply_edits(CLUSTER, fix.edits)
    assert mended == CLUSTER.replace("trigger empty[i]", "trigger.cluster empty[i]")
    assert shown(mended) == []


def test_a_stray_trigger_of_who_waits() -> None:
    (item,) = shown(STRAY)
    assert item.message == "'full' counts 2 arrivals a generation, with that of who waits for it, but one comes"
    assert STRAY[item.span.start : item.span.end] == "trigger full[0];"
    (fix,) = item.fixes
    mended = apply_edits(STRAY, fix.edits)
    assert mended == STRAY.replace("          if (k == 100000) { trigger full[0]; }\n", "")
    assert shown(mended) == []


def test_an_order_that_begins_anew_in_one_role_gets_that_of_the_other() -> None:
    persistent = example("persistent_1p2c")
    goes_on = "ti * cdiv(K, TILE_K) + k"
    ordered = persistent.replace("stage = k % STAGES;", f"o = {goes_on};\n              stage = o % STAGES;")
    for event in ("empty", "full"):
        ordered = ordered.replace(f"{event}[stage]", f"{event}.at(o)")
    assert shown(ordered) == [] and ordered.count(f"o = {goes_on};") == 2
    broken = ordered.replace(f"o = {goes_on};", "o = k;", 1)
    (item,) = shown(broken)
    assert item.code == "order-out-of-step"
    assert ordered in [apply_edits(broken, fix.edits) for fix in item.fixes]
