"""Inner `parallel`s that divide a block in unlike ways: each has paths of its own, by the unit of its level (reference,
4.3), and a unit comes after its parts, and they after it, where one of both meets at its ends."""

from __future__ import annotations

import pytest

from croqc.flow.arrivals import arrival_counts
from croqc.flow.joins import meetings, predecessors, unit_met
from croqc.flow.paths import comes_to, enters, outermost
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from tests.flow.kernels import body, model_of, named, paths
from tests.flow.pipes import check

GROUPS = "parallel u by 8 : group { inthreads.async (u == 6) {} }"
WARPGROUPS = "parallel w by 2 : group-4 { inthreads.async (w == 1) {} }"
THREADS = "parallel t by 256 : thread { inthreads.async (t == 40) {} inthreads.async (t == 200) {} }"


def test_each_has_the_paths_of_its_level() -> None:
    warps = {f"path u = {u}": range(32 * u, 32 * u + 32) for u in range(8) if u != 6}
    expected = {"path w = 0": range(128), "path w == 1": range(128, 256), "path u == 6": range(192, 224), **warps}
    assert named(body(WARPGROUPS + GROUPS)) == named(body(GROUPS + WARPGROUPS)) == expected


def test_single_threads_are_paths_of_their_own_beside_whole_units() -> None:
    assert named(body(WARPGROUPS + THREADS)) == {
        "path w = 0": range(128),
        "path t == 40": range(40, 41),
        "path w == 1": range(128, 256),
        "path t == 200": range(200, 201),
    }


def test_threads_without_roles_go_along_where_others_have_some() -> None:
    every = "parallel t by 64 : thread {}"
    roles = "parallel r by 64 : thread { inthreads.async (r == 0) {} inthreads.async (r == 1) {} }"
    assert named(body(roles + every)) == {
        "path r == 0, t = 0": range(1),
        "path r == 1, t = 1": range(1, 2),
        "path of threads 2 to 63": range(2, 64),
    }


@pytest.mark.parametrize(
    "text",
    [
        "parallel p by 2 : group-4 {} parallel {a, b} by [1, 2] : group-4 {}",
        "parallel p by 2 : group-4 {} parallel t by 256 : thread {}",
        "parallel u by 8 : group {} parallel t by 256 : thread { inthreads (t == 7) {} }",
        WARPGROUPS + "parallel q by 2 : group-4 { inthreads.async (q == 0) {} }",
    ],
)
def test_those_that_are_divided_alike_share_their_paths(text: str) -> None:
    found = paths(body(text))
    assert all(not path.met and not path.apart for path in found)
    assert predecessors(found) == {}


def test_a_path_runs_its_own_parallel_alone() -> None:
    model = body(WARPGROUPS + GROUPS)
    first, second = outermost(model, model.kernels[0])
    regions = nodes_of_kind(model.kernels[0].node, ast.InThreads)
    warpgroup, warp = (
        next(path for path in paths(model) if path.name == name) for name in ("path w == 1", "path u == 6")
    )
    assert [comes_to(warpgroup, [node]) for node in (first, second)] == [True, False]
    assert [comes_to(warp, [node]) for node in (first, second)] == [False, True]
    assert [enters(warpgroup, region) for region in regions] == [True, False]
    assert [enters(warp, region) for region in regions] == [False, True]


def test_the_larger_unit_meets_at_its_ends_and_its_warps_come_behind_it() -> None:
    model = body(WARPGROUPS + GROUPS)
    found = paths(model)
    first, second = outermost(model, model.kernels[0])
    assert (unit_met(found, first), unit_met(found, second)) == (128, 1)
    order = predecessors(found)
    names = {
        (found[number].name, found[other].name)
        for (number, node), before in order.items()
        for other, _ in before
        if node is second
    }
    own = [0, 1, 2, 3], [4, 5, 7]
    expected = {
        (f"path u = {u}", name) for us, name in zip(own, ("path w = 0", "path w == 1"), strict=True) for u in us
    }
    assert names == {*expected, ("path u == 6", "path w == 1")}


def test_those_that_come_after_each_other_are_told_apart_from_the_rest() -> None:
    found = paths(body(WARPGROUPS + GROUPS))
    groups = [{found[number].name for number in group} for group in meetings(predecessors(found))]
    first = {"path w = 0", *(f"path u = {u}" for u in range(4))}
    assert groups == [first, {"path w == 1", "path u = 4", "path u = 5", "path u == 6", "path u = 7"}]
    assert meetings({}) == []


def test_one_copy_of_a_warpgroup_is_no_race_of_its_warps() -> None:
    copies = """parallel p by 4 : group-4 { inthreads (p == 2) { dma.copy src.subspan(16, 64).at(0, 0) => s; } }
      parallel u by 16 : group { inthreads (u == 9) { parallel t by 32 : thread { s.at(0, t) = src.at(0, t); } } }
      parallel r by 4 : group-4 { inthreads (r == 3) { dma.copy s => dst.subspan(16, 64).at(0, 0); } }"""
    verdict = check(block_of(copies))
    assert (verdict.rules, verdict.strength) == ([], "proved")


def block_of(body_: str) -> str:
    events = "".join(f"shared event {name}; " for name in "eg" if f" {name};" in body_)
    return (
        "__co__ void f(global f16 [M, K] src, global f16 [M, K] dst, int n) { parallel b by 1 : block {"
        f" shared f16 [16, 64] s; shared s32 [64] v; {events}mutable int count = 0; {body_} }} }}"
    )


WRITES = "parallel p by 4 : group-4 { inthreads.async (p == 2) { dma.copy src.subspan(16, 64).at(0, 0) => s; } }"
READS = "parallel u by 16 : group {{ inthreads.async (u == {warp}) {{ dma.copy s => dst.subspan(16, 64).at(0, 0); }} }}"


@pytest.mark.parametrize("loop", ["{body}", "foreach i in [cdiv(K, 64)] {{ {body} }}"])
def test_a_warp_of_the_same_warpgroup_comes_behind_it_and_another_does_not(loop: str) -> None:
    own = check(block_of(loop.format(body=WRITES + READS.format(warp=9))))
    assert (own.rules, own.strength) == ([], "proved")
    other = check(block_of(loop.format(body=WRITES + READS.format(warp=12))))
    assert other.rules == ["stage-race"]


def test_a_warpgroup_comes_behind_its_warps() -> None:
    write = "parallel u by 16 : group {{ inthreads.async (u == {warp}) {{ v.at(3) = 1; }} }}"
    read = "parallel p by 4 : group-4 { inthreads.async (p == 1) { m = v.at(3); } }"
    assert check(block_of(write.format(warp=7) + read)).rules == []
    assert check(block_of(write.format(warp=8) + read)).rules == ["stage-race"]


def test_arrivals_count_the_units_of_the_level() -> None:
    text = """parallel w by 2 : group-4 { inthreads.async (w == 1) { trigger e; } }
      parallel u by 8 : group { inthreads.async (u < 3) { wait e; trigger g; } }"""
    model = model_of(block_of(text))
    found = arrival_counts(model, paths(model))
    assert {event.name: count for (event, _), count in found.items()} == {"e": 1, "g": 3}


def test_a_wait_that_only_a_later_level_of_its_threads_answers_hangs() -> None:
    text = """parallel w by 2 : group-4 {{ inthreads.async (w == 1) {{ wait e; }} }}
      parallel u by 8 : group {{ inthreads.async (u == {warp}) {{ trigger e; }} }}"""
    assert check(block_of(text.format(warp=6))).rules == ["credit-deadlock"]
    assert check(block_of(text.format(warp=2))).rules == []


def test_a_barrier_in_one_is_for_its_own_paths() -> None:
    text = "parallel w by 2 : group-4 { v.at(w) = 0; sync.shared; inthreads.async (w == 1) { m = v.at(0); } }"
    assert check(block_of(text + GROUPS)).rules == []
    assert check(block_of(text.replace("sync.shared;", "") + GROUPS)).rules == ["stage-race"]


TWO = "shared f16 [16, 64] x[2]; "
FIRST = "parallel q by 8 : group {{ inthreads.async (q == 7) {{ {} }} }} "
MIDDLE = "parallel p by 2 : group-4 {{ inthreads.async (p == 0) {{ {} }} }} "
THEN = "parallel r by 8 : group {{ inthreads.async (r == {warp}) {{ {} }} }} "
LOAD, STORE = "dma.copy src.subspan(16, 64).at(0, 0) => x[{}];", "dma.copy x[{}] => dst.subspan(16, 64).at(0, 0);"


def test_what_the_block_changes_reaches_the_parallels_behind_the_next_one() -> None:
    """The block has made `count` 1 in front of the middle one."""
    reads = TWO + FIRST.format(LOAD.format("count")) + "count = 1; " + MIDDLE.format(LOAD.format("count"))
    assert check(block_of(reads + THEN.format(STORE.format("count"), warp=7))).rules == ["stage-race"]
    assert check(block_of(reads + THEN.format(STORE.format("1 - count"), warp=7))).rules == []
    assert check(block_of(reads + THEN.format(STORE.format("count"), warp=2))).rules == []  # of p == 0 itself
    for given, rules in ((1, []), (2, ["credit-deadlock"])):
        gives = MIDDLE.format(f"if (count == {given}) {{ trigger e; }}")
        waits = THEN.format("if (count == 1) { wait e; }", warp=7)
        assert check(block_of(f"{FIRST.format('v.at(0) = count;')}count = 1; {gives}{waits}")).rules == rules


@pytest.mark.parametrize("bound", ["5", "n"])
def test_an_index_of_the_block_is_known_in_each(bound: str) -> None:
    give, take = MIDDLE.format(LOAD.format("k % 2")), FIRST.format(STORE.format("k % 2"))
    loop = f"{TWO}foreach {{k}} in [{bound}] {{ {give} sync.shared; {take} }}"
    right = check(block_of(loop))
    assert (right.rules, right.strength) == ([], "proved")
    assert check(block_of(loop.replace("sync.shared;", ""))).rules == ["stage-race"]


NOT_FOLLOWED = {
    "parallel w by 2 : group-4 { inthreads.async (w == 0) { trigger e; } } "
    "parallel u by 8 : group { inthreads.async (u == 1) { trigger e; } inthreads.async (u == 5) { wait e; } }": (
        "e",
        "path w == 0 and path u == 1 share threads, and both use 'e': give each an event",
    ),
    "parallel w by 2 : group-4 { count += 1; } parallel u by 8 : group {}": (
        "count += 1",
        "'count' is not followed into others where 'parallel's divide a block in unlike ways: "
        "declare it inside the one that uses it",
    ),
    "parallel w by 2 : group-4 { yield; } parallel u by 8 : group {}": (
        "yield;",
        "'yield' is not followed where 'parallel's divide a block in unlike ways: "
        "let an 'if' hold the rest of the body",
    ),
    "parallel t by 256 : thread { inthreads.async (t < 192) {} inthreads.async (t >= 192) {} } "
    "parallel u by 8 : group {}": (
        "u by 8 : group",
        "path t < 192 and path u = 0 share threads, and no unit holds both: divide the block alike",
    ),
}


@pytest.mark.parametrize("text", NOT_FOLLOWED)
def test_what_is_not_followed_is_said_at_its_place(text: str) -> None:
    whole = block_of(text)
    flow = check(whole).flow
    assert flow.strength.value == "unknown"
    assert flow.place is not None
    place, reason = NOT_FOLLOWED[text]
    assert (whole[flow.place.start : flow.place.end], flow.reason) == (place, reason)


def test_who_is_late_at_one_barrier_has_not_seen_what_others_do_behind_it() -> None:
    """A path that comes to the next barrier while others are still to leave the one before shows them nothing."""
    text = """parallel w by 4 : group {{
        sync.shared;
        inthreads.async (w == {writer}) {{ v.at(5) = 1; }}
        inthreads.async (w == {reader}) {{ m = v.at(5); }}
        sync.shared;
      }}"""
    for writer, reader in ((3, 0), (0, 3), (3, 1)):
        assert check(block_of(text.format(writer=writer, reader=reader))).rules == ["stage-race"]
