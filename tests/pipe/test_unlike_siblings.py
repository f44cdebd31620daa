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
