"""A guard over sizes and an index of threads parts a block in its last turn: a barrier under it hangs."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames_device as rules
from tests.sema.device_study import Device, device

SPLIT = (rules.DIVERGENT_COLLECTIVE, "sync.shared;")


def guarded(cond: str, rows: str = "cdiv(M, 32)", before: str = "", loop: str = "", other: str = "") -> Device:
    extents = f"[{rows}, cdiv(N, 32)] : block, {{ty, tx}} by [8, 32] : thread"
    body = f"if ({cond}) {{ {other or 'sync.shared;'} }}"
    return device(f"{before} parallel {{bi, bj}} by {extents} {{ {loop}\n{body} }}")


@pytest.mark.parametrize(
    ("cond", "case"),
    [
        ("bi * 32 + ty < M", "M = 33, bi = 1"),
        ("!(bi * 32 + ty >= M)", "M = 33, bi = 1"),
        ("bi * 32 + ty < M && bj * 32 + tx < N", "M = 33"),
        ("bj * 32 + tx < N || bi * 32 + ty < M", "N = 33"),
    ],
)
def test_a_guard_at_the_rim_parts_the_last_block(cond: str, case: str) -> None:
    found = guarded(cond)
    assert found.told == [SPLIT]
    (place,) = found.finding(rules.DIVERGENT_COLLECTIVE).related
    assert place.message.startswith("some threads do not come here for ")
    assert all(part in place.message for part in case.split(", "))


def test_the_guard_may_have_a_name_or_stand_in_a_loop_or_lead_to_the_other_branch() -> None:
    assert guarded("inside", loop="r = bi * 32 + ty; inside = r < M;").told == [SPLIT]
    in_loop = "foreach {s} in [4] { r = bi * 32 + s * 8 + ty; if (r < M) { sync.shared; } }"
    assert guarded("n > 0", other="n2 = n;", loop=in_loop).told == [SPLIT]
    assert guarded("n > 0", other="if (bi * 32 + ty < M) { k = 1; } else { sync.shared; }").told == []  # n is unknown
    assert guarded("bi < 9999", other="if (bi * 32 + ty < M) { k = 1; } else { sync.shared; }").told == [SPLIT]


@pytest.mark.parametrize(
    ("cond", "rows"),
    [
        ("bi * 32 + ty < M", "M / 32"),  # always true: whole tiles alone
        ("bi * 32 + ty < 64", "2"),
        ("bi * 32 < M", "cdiv(M, 32)"),  # the block's, not the thread's
        ("bi * 32 + ty < M + 32", "cdiv(M, 32)"),
        ("bi * 32 + ty < n", "cdiv(M, 32)"),  # a number of the caller
        ("n > 0 && bi * 32 + ty < M", "cdiv(M, 32)"),
    ],
)
def test_conditions_that_hold_for_all_or_that_nobody_knows_are_left_alone(cond: str, rows: str) -> None:
    assert guarded(cond, rows).told == []


def test_a_condition_around_that_leaves_whole_tiles_is_believed() -> None:
    whole = "if (M % 32 == 0) {{ parallel bi by cdiv(M, 32) : block, t by 32 : thread {{ if ({}) sync.shared; }} }}"
    assert device(whole.format("bi * 32 + t < M")).told == []
    assert device(whole.format("bi * 32 + t < M - 1")).told == []  # no case is tried that fits: silent
    assert guarded("bi * 32 + ty < M", before='assert(M % 32 == 0, "whole");').told == []
