"""A loop in which nothing happens is passed over, but whoever may never leave it keeps others waiting."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_counters import load, pipe, use
from tests.flow.test_no_false_proof import flow_of

HEAD = "foreach k in [cdiv(C, 32)]"
ENDS = [
    "mutable int z = 0; while (z < 10) { z += 3; }",
    "mutable int z = 0; while (J * 4 >= z) { z = z + 1; if (z == 5) { z += 1; } }",
    "mutable int z = J; while (z > 0) { z -= 2; }",
    "mutable int z = J; while ((z > 0)) { z /= 2; }",
    "mutable int z = J; while (z != 0) { z = z / 3; }",
    "mutable int z = J; while (z >= 1 && z != 7) { z = z >> 1; }",
    "mutable int z = 0; while (z < 3) { if (src.at(0, 0) > 0) { z = 9; } z += 1; }",
    "mutable u32 z = 9; while (z > 0) { z -= 1; }",
    "mutable u8 z = 0; while (z < 200) { z += 2; }",
    "mutable u32 z = 9; while (z != 0) { z = z >> 1; }",
    "mutable u32 z = 4294967290; while (z < 4294967290) { z += 5; }",
    "mutable u32 z = 4294967290; while (z < 4294967295) { z += 1; }",
]
MAY_NOT = [
    "while (true) { }",
    "mutable int z = 0; while (z < 1) { z = 0; }",
    "mutable int z = 5; while (z != 0) { z = z / 2 + 1; }",
    "mutable int z = 5; while (z > 0 - 1) { z = z / 2; }",
    "mutable int z = 5; while (z >= 0) { z /= 2; }",
    "mutable int z = 5; while (z > 0) { z /= 1; }",
    "mutable int z = 0; while (z < 9) { if (J > 3) { z += 1; } }",
    "mutable int z = 0; while (z < 9) { z += 1; if (z == 4) { z -= 1; } }",
    "mutable int z = 0; mutable int y = 4; while (z < y) { z += 1; y += 1; }",
    "mutable int z = 0; while (z != 9) { z += 2; }",
    "mutable int z = 0; while (z < 3) { if (src.at(0, 0) > 0) { z = 1; } z += 1; }",
    "mutable int z = 0; while (z < 9 || J > 3) { z += 1; }",
    "mutable u32 z = 9; while (z >= 0) { z -= 1; }",
    "mutable u32 z = 9; while (z > 0) { z -= 2; }",
    "mutable u8 z = 0; while (z < 300) { z += 1; }",
    "mutable u8 z = 0; while (z < 255) { z += 2; }",
    "while (src.at(0, 0) == 0) { }",
    "mutable int z = 0 - 100; while (z != 0) { z = z >> 1; }",
    "mutable u32 z = 4294967000; while (z < 4294967290) { z += 16; }",
    "mutable u32 z = 4294967000; while (z <= 4294967295) { z += 1; }",
    "mutable u32 z = 4294967000; while (z < 0 - 1) { z += 3; }",
    "mutable int z = 0; while (z <= 2147483647) { z += 1; }",
    "mutable int z = 0; while (z > 0 - 2147483647) { z -= 7; }",
]


@pytest.mark.parametrize("loop", ENDS)
def test_a_loop_that_ends_hinders_no_proof(loop: str) -> None:
    flow = flow_of(pipe(load(HEAD), use(HEAD), "", loop))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


@pytest.mark.parametrize("loop", MAY_NOT)
def test_a_loop_that_may_not_end_is_told(loop: str) -> None:
    text = pipe(load(HEAD), use(HEAD), "", loop)
    flow = flow_of(text)
    assert (flow.strength, flow.findings) == (Strength.CHECKED, ())
    assert flow.reason == "whether this loop ends is not known"
    assert flow.place is not None
    start = text.index("__co__") + flow.place.start
    assert text[start - 7 : start] == "while ("


def test_a_loop_that_never_ends_and_does_something_is_told_at_once() -> None:
    """Its turns would take all steps that there are."""
    head = "mutable int k = 0; while (k < C)"
    flow = flow_of(pipe(load(head), use(head)))
    assert (flow.strength, flow.findings) == (Strength.UNKNOWN, ())
    assert flow.reason == "this loop never ends: no turn changes what its condition asks"
    assert flow.spent < 50_000


@pytest.mark.parametrize("way", ["if (k > 3) { break; }", "k += 1;", "if (J > 2) { k += 1; }"])
def test_a_loop_that_may_end_is_gone_through(way: str) -> None:
    head = "mutable int k = 0; while (k < C)"
    assert flow_of(pipe(load(head), use(head), "", f"{way} k += 1;")).strength is not Strength.UNKNOWN


def test_one_path_alone_in_a_loop_that_never_ends_is_told_too() -> None:
    flow = flow_of("""__co__ void f(global s32 [R, 32] src, global s32 [R, 32] dst) {
      parallel b by R : block {
        shared s32 [1, 32] row;
        mutable int width = 16;
        while (width > 0) { dma.copy src.subspan(1, 32).at(b, 0) => row; sync.shared; }
        dma.copy row => dst.subspan(1, 32).at(b, 0);
      }
    }""")
    assert (flow.strength, flow.reason.partition(":")[0]) == (Strength.UNKNOWN, "this loop never ends")
