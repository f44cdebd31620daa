"""Whether all threads come to what they do together: proved only where values and control are the same for all of them.

Each body stands in a kernel that is right without it. What is said was worked out by hand, and agrees with the
simulator: the bodies that data or indices decide hang there.
"""

from __future__ import annotations

from typing import Final

import pytest

from croqc.flow.report import Strength
from croqc.service.check import check_text
from tests.flow.test_no_false_proof import flow_of

THREADS: Final = """__co__ void f(global s32 [N] src, global s32 [N] dst) {{
  parallel b by cdiv(N, 256) : block {{
    shared s32 [256] o;
    parallel t by 256 : thread {{ o.at(t) = 1; sync.shared; {body} }}
  }}
}}
"""
WARPS: Final = """__co__ void f(global s32 [N] src, global s32 [N] dst) {{
  parallel b by cdiv(N, 256) : block {{
    shared s32 [256] o;
    parallel w by 8 : group, l by 32 : thread {{ o.at(w * 32 + l) = 1; {body} }}
  }}
}}
"""
ROLES: Final = """__co__ void f(global s32 [N] src, global s32 [N] dst) {{
  parallel b by cdiv(N, 256) : block {{
    shared s32 [256] o;
    parallel p by 2 : group-4, t by 128 : thread {{
      inthreads.async (p == 0) {{ o.at(t) = 1; {body} }}
      inthreads.async (p == 1) {{ o.at(128 + t) = 1; }}
    }}
  }}
}}
"""
BLOCK: Final = "sync.shared;"
WARP: Final = "sync.barrier : group;"
WARPGROUP: Final = "sync.barrier : group-4;"
COPY: Final = "dma.copy src.subspan(256).at(b) => o;"


def reason_and_place(text: str) -> tuple[Strength, str, str]:
    flow = flow_of(text)
    assert flow.findings == ()
    return flow.strength, flow.reason, "" if flow.place is None else text[flow.place.start : flow.place.end]


@pytest.mark.parametrize(
    "body",
    [
        *(
            f"if (N > 512) {{ {BLOCK} }}",
            f"if (b == 0) {{ {BLOCK} }}",
            f"bool c = b > 1; if (c && N > 3) {{ {BLOCK} }}",
        ),
        f"n = b == 0 ? 2 : 3; foreach j in [n] {{ {BLOCK} }}",
        f"mutable int m = 0; while (m < 4) {{ {BLOCK} m += 1; }}",
        f"mutable int m = 0; if (b > 1) {{ m = 3; }} foreach j in [m] {{ {BLOCK} }}",
        f"mutable bool go = true; mutable int i = 0; while (go) {{ {BLOCK} i += 1; go = i < 3; }}",
        f"local s32 [4] q; foreach i in [4] {{ q.at(i) = i * b; }} if (q.at(2) > 2) {{ {BLOCK} }}",
        f"with i in [8] {{ foreach i(1:-1:2) {{ {BLOCK} }} }}",
        *(f"if (t < 256) {{ {BLOCK} }}", f"n = t < 512 ? 2 : 1; foreach j in [n] {{ {BLOCK} }}"),  # always so
        f"if (src.at(b) > 0) {{ {BLOCK} }}",  # one element, and nobody writes it
        f"foreach k in [2] {{ foreach j in [8] {{ if (src.at(j + t) > j) break; }} {BLOCK} }}",  # out of the inner loop
        f"if (src.at(t) > 0) {{ dst.at(b * 256 + t) = 1; }} {BLOCK}",
        f"mutable int c = 0; foreach j in [8] {{ if (src.at(j + t) > j) continue; c += 1; }} {BLOCK}",
        *(f"if (b > 0) {{ {COPY} }}", f"foreach j in [2] {{ {COPY} }}"),
        *(f"if (t / 32 == 3) {{ {WARP} }}", f"if ((t >> 5) % 2 == 0) {{ {WARP} }}"),
        f"u = t / 32; foreach j in [4] {{ if (u == j) {{ {WARP} }} }}",
        f"if (t < 128) {{ {WARPGROUP} }}",
    ],
)
def test_what_is_the_same_for_all_threads_of_the_block_is_proved(body: str) -> None:
    assert reason_and_place(THREADS.format(body=body)) == (Strength.PROVED, "", "")


@pytest.mark.parametrize(
    ("kernel", "body"),
    [
        *((WARPS, f"if (w == 2) {{ {WARP} }}"), (WARPS, f"foreach j in [w + 1] {{ {WARP} }}")),
        (WARPS, f"mutable int m = w; while (m > 0) {{ {WARP} m -= 1; }}"),
        (WARPS, f"local s32 [1] q; q.at(0) = w; if (q.at(0) > 5) {{ {WARP} }}"),
        *((ROLES, WARPGROUP), (ROLES, f"if (b > 1) {{ {WARPGROUP} }}"), (ROLES, f"if (t / 32 == 2) {{ {WARP} }}")),
        (ROLES, f"mutable int m = 0; while (m < 3) {{ {WARPGROUP} m += 1; }}"),
    ],
)
def test_what_is_the_same_for_all_threads_of_a_unit_is_proved(kernel: str, body: str) -> None:
    assert reason_and_place(kernel.format(body=body)) == (Strength.PROVED, "", "")


DATA: Final = "src.at(t) > 0"


@pytest.mark.parametrize(
    ("body", "what", "place"),
    [
        (f"if ({DATA}) {{ {BLOCK} }}", "sync.shared", DATA),
        (f"if (!({DATA})) {{ {BLOCK} }}", "sync.shared", f"!({DATA})"),
        (f"if (t < 300 && {DATA}) {{ {BLOCK} }}", "sync.shared", f"t < 300 && {DATA}"),
        (f"if ({DATA}) {{ {BLOCK} }} else {{ {BLOCK} }}", "sync.shared", DATA),
        (f"if ({DATA}) {{ sync.barrier : block; }}", "sync.barrier", DATA),
        (f"bool c = {DATA}; if (c) {{ {BLOCK} }}", "sync.shared", "c"),
        (f"n = {DATA} ? 1 : 2; foreach j in [n] {{ {BLOCK} }}", "sync.shared", "[n]"),
        (f"foreach j in [src.at(t)] {{ {BLOCK} }}", "sync.shared", "[src.at(t)]"),
        (f"foreach j in [4] {{ if (src.at(t) > j) break; {BLOCK} }}", "sync.shared", "src.at(t) > j"),
        (f"foreach j in [4] {{ if (src.at(t) > j) continue; {BLOCK} }}", "sync.shared", "src.at(t) > j"),
        (f"foreach j in [4] {{ {BLOCK} if (src.at(t) > j) break; }}", "sync.shared", "src.at(t) > j"),
        (f"mutable int m = 0; foreach j in [8] {{ if (src.at(t) == j) break; m = j; }} if (m > 3) {{ {BLOCK} }}",
         "sync.shared", "m > 3"),
        (f"local s32 [2] q; q.at(1) = src.at(t); if (q.at(1) > 0) {{ {BLOCK} }}", "sync.shared", "q.at(1) > 0"),
        (f"mutable s32 x = 0; x = __atomic_add(o.at(0), 1); if (x == 0) {{ {BLOCK} }}", "sync.shared", "x == 0"),
        (f"x = call pick(t); if (x > 0) {{ {BLOCK} }}", "sync.shared", "x > 0"),
        (f"if (o.at(0) > 0) {{ {BLOCK} }}", "sync.shared", "o.at(0) > 0"),  # others may have written it by then
        (f"if ({DATA}) {{ {COPY} }}", "dma.copy", DATA),
    ],
)  # fmt: skip
def test_data_that_decides_who_comes_is_not_analysed(body: str, what: str, place: str) -> None:
    text = "__device__ int pick(int t) { return t % 3; }\n" * ("pick" in body) + THREADS.format(body=body)
    (function,) = check_text(text).functions
    flow = flow_of(text)
    told = f"whether all threads of the block come to '{what}' depends on data here"
    assert (flow.strength, flow.reason, flow.findings) == (Strength.UNKNOWN, told, ())
    assert flow.place is not None
    assert text[function.base + flow.place.start : function.base + flow.place.end] == place


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (f"mutable int m = 0; m = t; if (m > 3) {{ {BLOCK} }}", "m > 3"),
        (f"mutable int m = 0; mutable int n = 0; m = t % 2; n = m; if (n > 0) {{ {BLOCK} }}", "n > 0"),
        (f"mutable int m = 0; mutable int n = 0; foreach j in [3] {{ if (n > 0) {{ {BLOCK} }} n = m; m = t % 2; }}",
         "n > 0"),
        (f"local s32 [1] q; q.at(0) = t; if (q.at(0) > 5) {{ {BLOCK} }}", "q.at(0) > 5"),
        (f"local s32 [1] q; q.at(0) = 0; if (t < 7) {{ q.at(0) = 1; }} if (q.at(0) > 0) {{ {BLOCK} }}", "q.at(0) > 0"),
        (f"local s32 [2] q; q.at(0) = 0; q.at(1) = 1; if (q.at(t % 2) > 0) {{ {BLOCK} }}", "q.at(t % 2) > 0"),
        (f"local s32 [2] q; q.at(0) = 0; q.at(t % 2) = 1; if (q.at(0) > 0) {{ {BLOCK} }}", "q.at(0) > 0"),
    ],
)  # fmt: skip
def test_indices_of_threads_in_variables_are_not_analysed(body: str, place: str) -> None:
    told = "whether all threads of the block come to 'sync.shared' depends on their indices here"
    assert reason_and_place(THREADS.format(body=body)) == (Strength.UNKNOWN, told, place)


@pytest.mark.parametrize(
    ("kernel", "body", "unit"),
    [
        (WARPS, f"if (src.at(l) > 0) {{ {WARP} }}", "group"),
        (ROLES, f"if ({DATA}) {{ {WARPGROUP} }}", "group-4"),
        (ROLES, f"mutable int m = t; if (m > 3) {{ {WARP} }}", "group"),
    ],
)
def test_a_unit_of_which_a_part_may_come_is_not_analysed(kernel: str, body: str, unit: str) -> None:
    strength, reason, _ = reason_and_place(kernel.format(body=body))
    assert strength is Strength.UNKNOWN
    assert reason.startswith(f"whether all threads of the {unit} come to 'sync.barrier' depends on ")


@pytest.mark.parametrize(
    ("kernel", "body", "what", "unit"),
    [
        (THREADS, f"n = t < 128 ? 1 : 2; foreach j in [n] {{ {BLOCK} }}", "sync.shared", "block"),
        (THREADS, f"n = t < 128 ? 1 : 2; foreach j in [n] {{ {COPY} }}", "dma.copy", "block"),
        (THREADS, f"if ((t ^ 1) < 7) {{ {BLOCK} }}", "sync.shared", "block"),
        (THREADS, f"if (t < 48) {{ {WARP} }}", "sync.barrier", "group"),
        (THREADS, f"if (t < 64) {{ {WARPGROUP} }}", "sync.barrier", "group-4"),
        (WARPS, f"if (l < 16) {{ {WARP} }}", "sync.barrier", "group"),
        (WARPS, f"if (w < 2) {{ {WARPGROUP} }}", "sync.barrier", "group-4"),
        (ROLES, f"if (t < 32) {{ {WARPGROUP} }}", "sync.barrier", "group-4"),
    ],
)
def test_a_part_that_surely_does_not_come_is_an_error(kernel: str, body: str, what: str, unit: str) -> None:
    (function,) = check_text(kernel.format(body=body)).functions
    told = [one.message for one in function.diagnostics if one.code == "divergent-collective"]
    assert told == [f"'{what}' needs all threads of the {unit}, but not all of them come here"]


@pytest.mark.parametrize(
    "body",
    [f"if (t / 32 == 1) {{ {WARP} }}", f"foreach j in [t / 32 + 1] {{ {WARP} }}", f"if (t < 128) {{ {WARPGROUP} }}"],
)
def test_whole_units_are_no_error(body: str) -> None:
    (function,) = check_text(THREADS.format(body=body)).functions
    assert [one for one in function.diagnostics if one.code == "divergent-collective"] == []
