"""Barriers and copies of a unit of which only a part comes: they never open, and the run says who is missing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.kernels import run

THREADS = """__co__ void f(global s32 [256] src, global s32 [256] dst) {{
  parallel b by 1 : block {{
    shared s32 [256] o;
    parallel t by 256 : thread {{ o.at(t) = 1; {body} dst.at(t) = o.at(t); }}
  }}
}}
"""
WARPS = """__co__ void f(global s32 [256] src, global s32 [256] dst) {{
  parallel b by 1 : block {{
    parallel w by 8 : group, l by 32 : thread {{ {body} dst.at(w * 32 + l) = 1; }}
  }}
}}
"""
ROLES = """__co__ void f(global s32 [256] src, global s32 [256] dst) {{
  parallel b by 1 : block {{
    parallel p by 2 : group-4, t by 128 : thread {{
      inthreads.async (p == 0) {{ {body} dst.at(t) = 1; }}
      inthreads.async (p == 1) {{ dst.at(128 + t) = 1; }}
    }}
  }}
}}
"""
SOURCE = (np.arange(256) % 2).astype(np.int32)  # 1 at every odd place
EVEN = tuple(range(0, 256, 2))


def missing(text: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """By path: what it waits for, and its threads that do not come."""
    result = run(text, {"src": SOURCE, "dst": np.zeros(256, np.int32)})
    return {one.path: (one.event, one.absent) for one in result.hang}


@pytest.mark.parametrize(
    "body",
    [
        "if (src.at(t) > 0) { dma.copy src => o; }",
        "foreach j in [src.at(t) + 1] { if (j == 1) { dma.copy src => o; } }",
        "g = dma.copy.async src => o; if (src.at(t) > 0) { wait g; }",
    ],
)
def test_a_copy_of_the_block_needs_all_of_its_threads(body: str) -> None:
    assert missing(THREADS.format(body=body)) == {"the block": ("the barrier of the block", EVEN)}


def test_a_barrier_of_a_warp_needs_its_lanes_and_no_others() -> None:
    assert missing(THREADS.format(body="if (t / 32 == 3) { sync.barrier : group; }")) == {}
    body = "if (t / 32 == 3) { if (src.at(t) > 0) { sync.barrier : group; } }"
    assert missing(THREADS.format(body=body)) == {"the block": ("the barrier of the group", tuple(range(96, 128, 2)))}


def test_a_barrier_of_a_warp_that_is_a_path() -> None:
    found = missing(WARPS.format(body="if (w == 2) { if (src.at(l) > 0) { sync.barrier : group; } }"))
    assert found == {"path w = 2": ("the barrier of the group", tuple(range(64, 96, 2)))}


def test_a_barrier_of_a_warpgroup_in_a_role() -> None:
    found = missing(ROLES.format(body="if (src.at(t) > 0) { sync.barrier : group-4; }"))
    assert found == {"path p == 0": ("the barrier of the group-4", EVEN[:64])}


def test_a_named_barrier_counts_whole_warps() -> None:
    assert missing(ROLES.format(body="if (t < 64) { __bar_sync(3, 64); }")) == {}
    found = missing(ROLES.format(body="if (src.at(t) > 0) { __bar_sync(3, 128); }"))
    assert found == {"path p == 0": ("named barrier 3", EVEN[:64])}


def test_the_threads_of_a_region_copy_together() -> None:
    assert missing(THREADS.format(body="inthreads (t < 64) { dma.copy src => o; }")) == {}
    found = missing(THREADS.format(body="inthreads (t < 64) { if (src.at(t) > 0) { dma.copy src => o; } }"))
    assert found == {"the block": ("the barrier of the group", EVEN[:32])}  # two warps, each with a part of the copy
