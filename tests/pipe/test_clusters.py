"""Clusters: indices of blocks, copies that land in every block, arrivals on every block's barrier."""

from __future__ import annotations

import re

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError, LoweringError
from croqc.pipe.verify import verify
from croqc.pipe.walk import rewrite
from croqc.service.check import check_text
from croqc.service.cuda import cuda_of
from croqc.service.settings import Settings
from croqc.text.diagnostics import Severity
from croqc.text.record import replace
from tests.pipe.lowering import TEXTS, after, only
from tests.pipe.test_mirror import UNLIKE, with_loader

HALVES = (TEXTS / "cluster.co").read_text(encoding="utf-8")
SIZES = {"M": 256, "N": 128, "K": 256}
TEXT = """__co__ void f(global s32 [N] x) {{
  parallel c by {size} : cluster, b by N / 64 : block {{
    shared s32 [64] buf;
    shared event full;
    parallel p by 2 : group-4 {{
      inthreads.async (p == 0) {{ {body} }}
      inthreads.async (p == 1) {{ wait full; }}
    }}
  }}
}}
"""
LOAD = "tma.copy.async<full>.multicast x.subspan(64).at(b) => buf;"


def lowered(body: str, size: int = 2) -> ir.Kernel:
    return after("memory", TEXT.format(body=body, size=size), {"N": 256})


def test_bytes_for_all_blocks_are_expected_in_all_of_them() -> None:
    """64 x 64 halves of the block's own, 32 x 64 of each block's for both."""
    kernel = after("fold", HALVES, SIZES)
    assert kernel.cluster == (("c", 2),)
    assert [(each.bytes, each.cluster) for each in only(kernel, ir.Expect)] == [(4096, True)]
    (full,) = (each for each in only(kernel, ir.Arrive) if each.slot.event == "full")
    assert (full.bytes, full.cluster) == (8192, True)
    assert {event.name: event.arrivals for event in kernel.events} == {"full": (2, 2), "empty": (2, 2)}


def test_a_condition_around_the_copy_is_one_around_its_bytes() -> None:
    kernel = lowered(f"if (b % 2 == c) {{ {LOAD} }} trigger.cluster full;")
    (condition,) = only(kernel, ir.If)
    assert [type(stmt) for stmt in condition.then] == [ir.Expect, ir.Copy]
    (arrive,) = only(kernel, ir.Arrive)
    assert arrive.bytes == 0


def test_without_clusters_too() -> None:
    """The arrival stands elsewhere than the copy, which names its event."""
    text = TEXT.replace("c by {size} : cluster, ", "").replace(".multicast", "")
    body = LOAD.replace(".multicast", "")
    kernel = after("memory", text.format(body=f"if (b % 2 == 0) {{ {body} }} trigger full;"), {"N": 256})
    assert [(each.bytes, each.cluster) for each in only(kernel, ir.Expect)] == [(256, False)]
    assert [each.bytes for each in only(kernel, ir.Arrive)] == [0]


def test_the_grid_has_a_block_for_each_index_of_the_cluster() -> None:
    text = TEXT.format(body=LOAD + "trigger.cluster full;", size=2).replace("c by 2", "{c, d} by [2, 3]")
    text = text.replace("wait full;", "wait full; x.at(c + d) = 1;")
    report = check_text(text)
    found = cuda_of(report, None, {"N": 256}, "full")
    (kernel,) = found.result.kernels
    assert kernel.grid == (24, 1, 1)
    for line in (
        "__cluster_dims__(6, 1, 1)",
        "const int b = blockIdx.x / 6;",
        "const int d = blockIdx.x % 3;",
        "const int c = blockIdx.x / 3 % 2;",
        "launch_overlapping(f, dim3(s64(N / 64) * 6, 1, 1), 256",
        "tma_multicast<6>(buf, x_map, full, b * 64);",
    ):
        assert line in found.result.text, line
    assert found.result.text.count("  cluster_sync();") == 2  # behind the barriers' start, and before a block ends


def test_blocks_that_do_nothing_for_each_other_do_not_meet() -> None:
    text = TEXT.format(body="tma.copy.async<full> x.subspan(64).at(b) => buf; trigger full;", size=2)
    assert "cluster_sync();" not in cuda_of(check_text(text), None, {"N": 256}).result.text.partition("f(const")[2]


def test_lanes_arrive_in_a_block_each_and_one_thread_in_all() -> None:
    text = cuda_of(check_text(HALVES), None, SIZES).result.text
    assert "if (threadIdx.x % 128 < 2) mbarrier_arrive_block<false>(empty + (k_2 - 1) % 2, threadIdx.x % 128);" in text
    single = TEXT.format(body="inthreads (t == 0) { trigger.cluster full; }", size=2)
    text = cuda_of(
        check_text(single.replace("group-4 {", "group-4, t by 128 : thread {")), None, {"N": 256}
    ).result.text
    assert "mbarrier_arrive_cluster<2, false>(full);" in text


@pytest.mark.parametrize(("old", "new"), UNLIKE)
def test_the_thread_that_expects_bytes_arrives_in_all_blocks(old: str, new: str) -> None:
    """Two threads' messages to another block have no order: a generation could complete without its bytes."""
    body = cuda_of(check_text(with_loader(old, new)), None, SIZES).result.text.partition("tma_prefetch(")[2]
    lines = [line.strip() for line in body.splitlines() if re.search(r"mbarrier_(expect|arrive)\w*(<.*>)?\(full", line)]
    words = [re.findall(r"mbarrier_\w+", line)[0] for line in lines]
    assert sorted(words) == ["mbarrier_arrive_cluster", "mbarrier_expect", "mbarrier_expect_cluster"]
    assert len({line.partition("mbarrier_")[0] for line in lines}) == 1, lines


@pytest.mark.parametrize(
    ("body", "size", "message"),
    [
        ("tma.copy.multicast x.subspan(64).at(b) => buf;", 2, "a multicast copy lands on an event"),
        ("trigger.cluster full;", 9, "a cluster has up to 8 blocks"),
        (LOAD.replace("subspan(64)", "subspan(100).at(0).subspan(64)"), 2, "only TMA copies to every block"),
    ],
)
def test_what_is_not_lowered(body: str, size: int, message: str) -> None:
    with pytest.raises(LoweringError, match=message):
        lowered(body, size)


def test_several_grids_in_a_cluster_are_refused() -> None:
    blocks = "parallel {} by 3 : block {{ x.at(0) = 1; }}"
    both = blocks.format("b") + blocks.format("d")
    text = f"__co__ void f(global s32 [N] x) {{ parallel c by 2 : cluster {{ {both} }} }}"
    with pytest.raises(LoweringError, match="several grids in one launch"):
        after("build", text, {"N": 256})


def test_targets_without_clusters_say_so_at_the_level() -> None:
    report = check_text(HALVES, Settings(arch="sm_80"))
    errors = [item for item in report.diagnostics if item.severity is Severity.ERROR]
    assert "cluster" in [report.source.slice(item.span) for item in errors if item.code == "level-unavailable"]


def test_a_copy_to_all_blocks_without_an_event_is_a_breach() -> None:
    kernel = after("memory", HALVES, SIZES)
    wrong = rewrite(kernel.body, lambda s: (_lost(s),))
    with pytest.raises(InvalidIrError, match="nothing says when the copy into b has landed"):
        verify(replace(kernel, body=wrong))


def _lost(stmt: ir.Stmt) -> ir.Stmt:
    return replace(stmt, completes=None) if isinstance(stmt, ir.Copy) and stmt.multicast else stmt
