"""Reads behind a condition on sizes: it chooses no sizes where they make no difference, and is asked where they do.

`ring` of `pipes` with a consumer that reads its tile element by element, behind a guard.
"""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET
from tests.flow.pipes import Verdict, check, ring

FAR = "b * 16 + i < M && k * 64 < n"
READ = "foreach {{i}} in [16] {{ {guard} dst.at(b * 16 + i, k * 64) = {what}.at(i, 0); }}"


def reading(guard: str, what: str = "buf[s]", **pieces: str) -> Verdict:
    """`guard`: a condition, or nothing."""
    read = READ.replace("{guard}", f"if ({guard})" if guard else "").replace("{what}", what)
    return check(ring(3, take=f"wait full[s]; {read} trigger empty[s];", **pieces))


@pytest.mark.parametrize("guard", [FAR, "b * 16 < M - n", "k * 64 + i < K", f"{FAR} || n == 7"])
def test_a_guard_of_reads_adds_no_instance(guard: str) -> None:
    bare, guarded = reading(""), reading(guard)
    assert (guarded.strength, guarded.places) == ("proved", [])
    assert guarded.flow.spent == bare.flow.spent
    assert guarded.flow.sizes.keys() == bare.flow.sizes.keys() == {"K"}


def test_guards_within_guards_and_other_ways_count_as_one() -> None:
    inner = (
        "if (k * 64 < n) { if (b * 16 + 1 < M) dst.at(b, k) = buf[s].at(0, 0); else dst.at(b, k) = buf[s].at(1, 0); }"
    )
    bare = "dst.at(b, k) = buf[s].at(0, 0); dst.at(b, k) = buf[s].at(1, 0);"
    found, plain = (check(ring(3, take=f"wait full[s]; {read} trigger empty[s];")) for read in (inner, bare))
    assert (found.strength, found.places) == ("proved", [])
    assert found.flow.spent == plain.flow.spent


def test_a_read_that_never_happens_is_no_fault() -> None:
    """Nothing writes 'extra', and K is at least 1."""
    never = reading("K < 1", "extra", buffers="shared f16 [16, 64] buf[{N}], extra;")
    assert never.places == []
    sometimes = reading("K < 100", "extra", buffers="shared f16 [16, 64] buf[{N}], extra;")
    assert sometimes.rules == ["unwritten-read"]


def test_a_slot_that_is_out_of_range_only_where_nobody_reads_is_no_fault() -> None:
    assert reading("k * 64 < K - 64 * n", "buf[k]", turns="[cdiv(K, 64) % 3]").places == []
    past = reading("K > 100 * 64", "buf[k]")
    assert past.strength != "proved"


def test_a_guarded_read_behind_the_release_is_a_race() -> None:
    late = READ.replace("{guard}", f"if ({FAR})").replace("{what}", "buf[s]")
    found = check(ring(3, take=f"wait full[s]; trigger empty[s]; {late}"), CHECK_BUDGET)
    assert found.rules == ["stage-race"]


def test_a_read_of_the_slot_before_is_a_race_only_where_it_is_done() -> None:
    """The slot of the turn before has been given back."""
    before = "buf[(k + 2) % 3]"
    assert reading("k >= K", before).places == []
    assert reading("k > 0 && k * 64 < n", before).rules == ["stage-race"]


def test_a_fault_elsewhere_is_told_without_the_sizes_of_the_guard() -> None:
    found = reading(FAR, grant="")
    assert found.rules == ["credit-deadlock"]
    assert found.seen[0].finding.sizes.keys() == {"K"}


def test_what_a_guard_does_with_events_is_tried_as_before() -> None:
    found = check(ring(3, take="wait full[s]; x = buf[s].at(0, 0); if (k * 64 < n) { trigger empty[s]; }"))
    assert found.rules == ["credit-deadlock"]
    assert "n" in found.seen[0].finding.sizes


ORDERED = {
    "load": "wait empty.at(k); dma.copy src.subspan(16, 64).at(b, k) => buf[s]; trigger full.at(k);",
    "take": "wait full.at(k); dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty.at(k);",
    "buffers": "shared f16 [16, 64] buf[{N}]; shared f16 [1, 1] seed{0};",
}


def test_triggers_behind_a_read_that_never_happens_are_credits_at_start() -> None:
    """Behind a read that happens they are steady triggers, whose number the order does not follow."""
    grant = "if ({}) {{ x = seed.at(0, 0); }} foreach {{i}} in [2] {{ trigger empty.at(i); }}"
    never = check(ring(2, grant=grant.format("K < 1").replace("{", "{{").replace("}", "}}"), **ORDERED))
    assert never.places == []
