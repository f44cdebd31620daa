"""Which ring costs most, which side is slow, what to try: on rings that are played by hand."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import KernelFlow
from croqc.service.check import FileReport, check_text
from croqc.service.check_result import Place, Range
from croqc.service.flow_check import with_flow
from croqc.service.profile_result import BlockTime, PathTime, PlaceTime, RingTime
from croqc.service.profile_rings import Room, judged, percent, rings_of
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.pipe.lowering import example

LOADER, CONSUMER = "path p1 == 0", "path p1 == 1"
ROOM = Room(taken=73_760, limit=100_000, slot=16_384)


def place(path: str, op: str, event: str, total: int, count: int = 10, first: int = 0, line: int = 20) -> PlaceTime:
    """A place of a path of 1,000 ns."""
    at = Place(line - 1, 0)
    buffer = "lhs_s" if op == "copy" else ""
    share = total / 1000
    return PlaceTime(
        path,
        op,
        event,
        buffer,
        False,
        "k",
        Range(at, at),
        count,
        total,
        total // count,
        total,
        first,
        share,
        op == "wait",
    )


def block(*places: PlaceTime) -> BlockTime:
    paths = tuple(PathTime(name, 0, 1_000, 1_000, 0) for name in dict.fromkeys(each.path for each in places))
    return BlockTime(0, 1, 0, 1_000, paths, places, ())


def flow_of(report: FileReport) -> KernelFlow:
    function = with_flow(report, TYPING_BUDGET).functions[0]
    flows = with_flow(report, TYPING_BUDGET).flows
    assert flows is not None and function.analysis is not None
    return flows[function.analysis].kernels[0]


FLOW = flow_of(check_text(PIPELINE))


def timed(full: int, empty: int, first: int = 0) -> tuple[RingTime, BlockTime]:
    """The course's ring where the consumer stands `full` ns of 1,000 and the loader `empty`."""
    one = block(
        place(LOADER, "wait", "empty", empty, line=24),
        place(LOADER, "copy", "", 900 - empty, line=25),
        place(CONSUMER, "wait", "full", full, first=first, line=40),
        place(CONSUMER, "multiply", "", 900 - full, line=44),
    )
    (ring,) = rings_of(FLOW, [one])
    return ring, one


def test_the_ring_of_the_course_kernel() -> None:
    ring, _ = timed(300, 50, first=60)
    assert ring == RingTime("full", "empty", 2, (LOADER,), (CONSUMER,), 0.3, 0.2, 0.05)


@pytest.mark.parametrize(
    ("full", "empty", "first", "slow", "words", "tries"),
    [
        (300, 50, 60, "loader", "the loader is the limit", ["a faster copy in line 25, which takes 85", "a second"]),
        (300, 500, 60, "depth", "both sides stand", ["3 stages: shared memory then takes 90,144 of", "a larger"]),
        (300, 500, 200, "fill", "the first wait, while the ring fills", ["a persistent kernel", "more turns"]),
        (20, 500, 0, "consumer", "the consumer is the limit, which is what you want", ["a second consumer", "a"]),
        (99, 99, 0, "none", "no ring costs much", []),
        (100, 99, 0, "loader", "the loader is the limit", ["a faster copy", "a second loader"]),
        (99, 100, 0, "consumer", "the consumer is the limit", ["a second consumer", "a larger tile"]),
    ],
)  # fmt: skip
def test_the_slow_side(full: int, empty: int, first: int, slow: str, words: str, tries: list[str]) -> None:
    ring, one = timed(full, empty, first)
    told = judged([ring], [one], [ROOM])
    assert (told.slow, told.ring, words in told.verdict) == (slow, 0, True), told
    assert len(told.tries) == len(tries)
    for said, wanted in zip(told.tries, tries, strict=True):
        assert said.startswith(wanted)


def test_the_words_name_both_sides() -> None:
    ring, one = timed(20, 500)
    assert judged([ring], [one], [ROOM]).verdict == (
        "the consumer is the limit, which is what you want: path p1 == 1 stands 2.0 % of its time at 'full',"
        " path p1 == 0 stands 50 % of its time at 'empty'"
    )


def test_where_no_wait_costs_much_the_longest_place_is_named() -> None:
    ring, one = timed(20, 30)
    assert judged([ring], [one], [ROOM]).verdict.endswith(
        "most of a path's time, 88 % of path p1 == 1, goes by in line 44: multiply"
    )


def test_a_stage_that_does_not_fit() -> None:
    ring, one = timed(300, 500)
    told = judged([ring], [one], [Room(90_000, 100_000, 16_384)])
    assert told.tries[0] == "a smaller tile and more than 2 stages: another of 16,384 bytes does not fit now"


def test_two_consumers_share_a_ring() -> None:
    flow = flow_of(example("pipeline_1p2c"))
    one = block(
        place("path p == 0", "wait", "empty", 600),
        place("path p = 1", "wait", "full", 10),
        place("path p = 2", "wait", "full", 30),
    )
    (ring,) = rings_of(flow, [one])
    assert (ring.producers, ring.consumers) == (("path p == 0",), ("path p = 1", "path p = 2"))
    assert ring.fullShare == 40 / 2_000
    told = judged([ring], [one], [ROOM])
    assert "path p = 1 and path p = 2 stand 2.0 % of their time at 'full'" in told.verdict
    assert told.tries == ("a larger tile, so that each byte is used in more multiplies",)


def test_of_several_rings_the_one_whose_full_slots_are_waited_for_most() -> None:
    quiet, one = timed(50, 900)
    costly = RingTime("loaded", "free", 2, (LOADER,), (CONSUMER,), 0.2, 0.0, 0.5)
    assert judged([quiet, costly], [one], [ROOM, ROOM]).ring == 1
    assert judged([costly, quiet], [one], [ROOM, ROOM]).ring == 0


def test_an_event_without_credits_at_start_makes_no_ring() -> None:
    """The fault of a kernel that nobody gives its first credits; it can be run with --force."""
    flow = flow_of(check_text(PIPELINE.replace(BOOTSTRAP, "")))
    assert rings_of(flow, [timed(300, 50)[1]]) == ()
    assert rings_of(None, []) == ()


@pytest.mark.parametrize(
    ("op", "words", "tries"),
    [
        ("wait-future", "80 % of the block, goes by in line 9: wait for copies", 1),
        ("copy", "goes by in line 9: copy lhs_s", 1),
        ("join", "goes by in line 9: barrier", 1),
        ("multiply", "goes by in line 9: multiply", 0),
    ],
)
def test_without_a_ring_the_longest_place_is_named(op: str, words: str, tries: int) -> None:
    told = judged((), [block(place("the block", op, "", 800, line=9), place("the block", "write", "", 100))], ())
    assert (told.slow, told.ring, len(told.tries)) == ("none", None, tries)
    assert told.verdict.startswith("there is no ring of events") and words in told.verdict


def test_a_kernel_in_which_nothing_is_probed() -> None:
    told = judged((), [block()], ())
    assert told.verdict == "nothing was recorded: the kernel has no wait, arrival, copy or multiply"


def test_shares_in_words() -> None:
    assert [percent(share) for share in (0, 0.0004, 0.0994, 0.0996, 0.5, 1.0)] == [
        *("0.0 %", "0.0 %", "9.9 %", "10 %", "50 %", "100 %"),
    ]
