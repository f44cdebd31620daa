"""Which accumulators are in use together, and how many registers each thread can have for them."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.service.settings import Settings

TWO = """__co__ void tiles(global f16 [M, K] a, global f16 [N, K] b, global f32 [M, N] y) {
  parallel q by cdiv(M, 128) : block {
    shared f16 [128, 64] as;
    shared f16 [256, 64] bs;
    dma.copy a.subspan(128, 64).at(q, 0) => as;
    dma.copy b.subspan(256, 64).at(0, 0) => bs;
    parallel p by GROUPS : group-4 {
      BODY
    }
  }
}
"""
C = "mma.row.row c, as.subspan(64, 64).at(0, 0), bs;"
D = "mma.row.row d, as.subspan(64, 64).at(1, 0), bs;"
STORE_C, STORE_D = "mma.store c, y.subspan(64, 256).at(q, 0);", "mma.store d, y.subspan(64, 256).at(q, 0);"
FILLED = "c = mma.fill.f32 0.0f; d = mma.fill.f32 0.0f;"


def told(body: str, groups: int = 1, arch: str = "sm_90a") -> list[str]:
    report = check_text(TWO.replace("BODY", body).replace("GROUPS", str(groups)), Settings(arch=arch))
    assert not [item.message for item in report.diagnostics if item.severity.value == "error"]
    return [item.message for item in report.diagnostics if item.code == "accumulator-registers"]


def test_both_are_in_use_until_they_are_stored() -> None:
    """64 x 256 / 128 threads = 128 registers each."""
    (message,) = told(f"{FILLED} {C} {D} {STORE_C} {STORE_D}")
    assert message.startswith("'c' and 'd' take 256 registers of a thread, each of the block's 128 has 255 at most")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{FILLED} {C} {STORE_C} {D} {STORE_D}", id="one behind the other"),
        pytest.param(f"{FILLED} foreach k in [4] {{ {C} }} {STORE_C} foreach k in [4] {{ {D} }} {STORE_D}", id="loops"),
        pytest.param(
            "foreach k in [4] { c = mma.fill.f32 0.0f; " + f"{C} {STORE_C} d = mma.fill.f32 0.0f; {D} {STORE_D} }}",
            id="anew in each turn",
        ),
        pytest.param(
            f"inthreads.async (p == 0) {{ c = mma.fill.f32 0.0f; {C} {STORE_C} }} "
            f"inthreads.async (p == 1) {{ d = mma.fill.f32 0.0f; {D} {STORE_D} }}",
            id="of two warpgroups",
        ),
    ],
)
def test_what_is_never_in_use_together_fits(body: str) -> None:
    assert told(body, 2 if "inthreads" in body else 1) == []


def test_what_a_loop_comes_back_to_is_in_use_in_all_of_it() -> None:
    assert len(told(f"{FILLED} foreach k in [4] {{ {C} {STORE_C} {D} {STORE_D} }}")) == 1


def test_16_bit_accumulators_take_half() -> None:
    assert told(f"{FILLED} {C} {D} {STORE_C} {STORE_D}".replace("fill.f32", "fill.f16")) == []


@pytest.mark.parametrize(("groups", "limit"), [(3, None), (4, 128), (5, 96)])
def test_all_threads_of_a_block_share_a_multiprocessor(groups: int, limit: int | None) -> None:
    """65536 / 512 = 128, which hold 128; 65536 / 640 = 102, in steps of 8 96."""
    found = told(f"c = mma.fill.f32 0.0f; {C} {STORE_C}", groups)
    assert [f"has {limit} at most" in message for message in found] == ([True] if groups == 5 else [])


def test_accumulators_in_tensor_memory_take_none() -> None:
    assert told(f"{FILLED} {C} {D} {STORE_C} {STORE_D}", arch="sm_100a") == []


def test_warps_have_as_many_as_warpgroups() -> None:
    """Without wgmma the same tile is spread over the four warps."""
    assert len(told(f"{FILLED} {C} {D} {STORE_C} {STORE_D}", arch="sm_86")) == 1
