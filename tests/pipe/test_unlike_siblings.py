"""Inner `parallel`s that divide a block in unlike ways: who runs a region, and where units meet."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.sema.model import Unit
from tests.pipe.lowering import after, only

TEXT = """__co__ void f(global s32 [N] x) {{
  parallel b by N / 256 : block {{
    shared s32 [256] s;
    shared event e;
    {body}
  }}
}}
"""
COPY = "parallel w by 2 : group-4 {{ inthreads{way} (w == 1) {{ dma.copy x.subspan(256).at(b) => s; }} }}"
WARP = "parallel u by 8 : group { inthreads.async (u == 5) { s.at(3) += 1; } }"
ONE = "parallel t by 256 : thread { inthreads.async (t == 40) { s.at(3) += 1; } }"


def built(body: str) -> ir.Kernel:
    return after("build", TEXT.format(body=body), {"N": 1024})


@pytest.mark.parametrize(("other", "unit", "threads"), [(WARP, Unit.GROUP, 32), (ONE, Unit.THREAD, 1)])
def test_a_region_belongs_to_the_unit_of_its_level(other: str, unit: Unit, threads: int) -> None:
    for body in (COPY.format(way=".async") + other, other + COPY.format(way=".async")):
        roles = {role.unit: role.threads for role in only(built(body), ir.Role)}
        assert roles == {Unit.GROUP4: 128, unit: threads}


def test_the_larger_unit_meets_at_both_of_its_ends() -> None:
    kernel = built(COPY.format(way=".async") + WARP)
    ends = [stmt.unit for stmt in kernel.body if isinstance(stmt, ir.Sync)]
    assert ends == [Unit.GROUP4, Unit.GROUP4]
    assert [type(stmt) for stmt in kernel.body[:3]] == [ir.Sync, ir.Scope, ir.Sync]


@pytest.mark.parametrize("other", ["", "parallel t by 256 : thread { s.at(t) += 1; }"])
def test_where_all_are_divided_alike_nobody_meets(other: str) -> None:
    kernel = built(COPY.format(way=".async") + other)
    assert [stmt for stmt in kernel.body if isinstance(stmt, ir.Sync)] == []


def test_what_is_not_followed_is_not_lowered() -> None:
    body = (
        "parallel w by 2 : group-4 { inthreads.async (w == 0) { trigger e; } } "
        "parallel u by 8 : group { inthreads.async (u == 1) { trigger e; } }"
    )
    with pytest.raises(LoweringError, match="path w == 0 and path u == 1 share threads, and both use 'e': give each"):
        built(body)


LAUNCHED = """__co__ void f(global s32 [N] x, int T) {{
  parallel b by 4 : block {{
    {first}
    {second}
  }}
}}
"""
BY_SIZE = "parallel t by T : thread { x.at(b) = t; }"


@pytest.mark.parametrize(
    ("second", "threads"),
    [
        pytest.param("parallel t by T : thread { x.at(b) = t; }", 64, id="alike"),
        pytest.param("parallel {i, j} by [T / 4, 4] : thread { x.at(b) = i; }", 64, id="in two dimensions"),
        pytest.param("parallel t by 64 : thread { x.at(b) = t; }", 64, id="a number"),
        pytest.param("parallel u by T / 32 : group { x.at(b) = u; }", 64, id="by warps"),
        pytest.param("parallel u by T / 32 : group { parallel t by 32 : thread { x.at(b) = t; } }", 64, id="in levels"),
        pytest.param("", 64, id="alone"),
    ],
)
def test_levels_beside_each_other_divide_one_block_whose_size_is_known_at_the_launch(second: str, threads: int) -> None:
    for first, other in ((BY_SIZE, second), (second, BY_SIZE)):
        kernel = after("build", LAUNCHED.format(first=first, second=other), {"N": 1024, "T": 64})
        assert kernel.threads == threads
        assert all(index.unit * index.bound <= threads for index in kernel.indices)


def test_levels_beside_each_other_of_unlike_sizes_are_refused_at_the_second() -> None:
    text = LAUNCHED.format(first=BY_SIZE, second="parallel t by 32 : thread { x.at(b) = t; }")
    with pytest.raises(LoweringError) as caught:
        after("build", text, {"N": 1024, "T": 64})
    assert caught.value.message == (
        "32 threads here, 64 in the first 'parallel' of this block: all inner levels of a kernel share one block size"
    )
    assert text[caught.value.span.start : caught.value.span.end].startswith("t by 32")
