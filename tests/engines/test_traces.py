"""Records of probes read back: times worked out by hand, and what no kernel can have written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from croqc.engines.gpu.job import make_job
from croqc.engines.gpu.traces import NoBlockError, PathTrace, TraceError, Visit, traces_of, with_probes
from croqc.pipe import ir
from croqc.text.span import NOWHERE
from tests.codegen.test_probes import probed
from tests.engines.probe_bytes import Lane, file_of
from tests.pipe.lowering import example

SITES = (ir.ProbeSite("wait", NOWHERE), ir.ProbeSite("copy", NOWHERE), ir.ProbeSite("trigger", NOWHERE))
PROBES = ir.Probes(SITES, (ir.Recorder("path p == 0", 0), ir.Recorder("path p == 1", 128)))
BIG = 7 << 32  # the high half of a clock is not in the records
LOADER = Lane(
    [(BIG + 1_100, BIG + 1_200, 1, 3, 0), (BIG + 1_200, BIG + 1_260, 2, 3, 0), (BIG + 1_900, BIG + 1_910, 3, 0, -1)],
    start=BIG + 1_000,
    end=BIG + 3_000,
    start_time=500_000,
    end_time=501_000,
    block=4,
    multiprocessor=9,
)
CONSUMER = replace(LOADER, visits=[], start=BIG + 1_020, start_time=500_010, end_time=501_000)


def test_times_are_nanoseconds_from_the_start_of_the_block() -> None:
    """2,000 and 1,980 cycles in 1,000 and 990 ns: half a nanosecond a cycle."""
    (block,) = traces_of(file_of([LOADER, CONSUMER]), 2, PROBES, (4,))
    assert (block.launch, block.block, block.multiprocessor, block.start, block.length) == (2, 4, 9, 500_000, 1_000)
    visits = (Visit(1, 3, 0, 50, 100), Visit(2, 3, 0, 100, 130), Visit(3, 0, -1, 450, 455))
    assert block.paths == (PathTrace("path p == 0", 0, 1_000, 0, visits), PathTrace("path p == 1", 10, 1_000, 0, ()))


def test_the_low_half_of_the_clock_runs_over() -> None:
    start = (1 << 32) - 100
    lane = Lane([(start + 50, start + 150, 1, 0, 0), (start + 160, start + 200, 1, 0, 1)], start, start + 400, 1, 401)
    (block,) = traces_of(file_of([lane, replace(lane, visits=[])]), 0, PROBES, (0,))
    assert [(visit.begin, visit.end) for visit in block.paths[0].visits] == [(50, 150), (160, 200)]


WRAP = 1 << 32


def slow(first: int, second: int, end: int, dropped: int = 0) -> Lane:
    """Two visits of ten cycles, that begin at these clocks, at a nanosecond a cycle."""
    visits = [(first, first + 10, 1, 0, 0), (second, second + 10, 1, 0, 1)]
    return Lane(visits, 1_000, end, start_time=1_000, end_time=end, dropped=dropped)


@pytest.mark.parametrize(
    ("first", "second", "end"),
    [
        (1_000 + WRAP, 2_000 + WRAP, 3_000 + WRAP),  # in front of the first record
        (1_500, 2_000 + WRAP, 3_000 + WRAP),  # between the two
        (1_500, 2_000, 2_010 + WRAP),  # behind them
        (1_500, 2_000 + 2 * WRAP, 3_000 + 2 * WRAP),
    ],
)
def test_a_gap_that_the_clocks_do_not_count_is_refused(first: int, second: int, end: int) -> None:
    lane = slow(first, second, end)
    with pytest.raises(TraceError, match=r"records of path p == 0 2\^32 cycles passed .*; use smaller sizes"):
        traces_of(file_of([lane, replace(lane, visits=[])]), 0, PROBES, (0,))


def test_long_paths_whose_gaps_are_counted_are_read() -> None:
    """The longest gap that a half counts, twice; a path without records; and one whose later visits were dropped."""
    last = 1_000 + 2 * (WRAP - 1) + 10
    whole = slow(1_000 + WRAP - 1, last, last + 10 + WRAP - 1)
    (block,) = traces_of(file_of([whole, replace(whole, visits=[])]), 0, PROBES, (0,))
    assert [(visit.begin, visit.end) for visit in block.paths[0].visits] == [
        (WRAP - 1, WRAP + 9), (2 * WRAP + 8, 2 * WRAP + 18),
    ]  # fmt: skip
    assert block.paths[1].end == 3 * WRAP + 17
    full = slow(1_500, 2_000, 3_000 + 4 * WRAP, dropped=7)
    (block,) = traces_of(file_of([full, replace(full, visits=[])]), 0, PROBES, (0,))
    assert (block.paths[0].visits[-1].begin, block.paths[0].end) == (1_000, 2_000 + 4 * WRAP)


def test_a_path_that_returns_early_ends_with_its_last_record() -> None:
    early = replace(LOADER, end=0, end_time=0)
    (block,) = traces_of(file_of([early, CONSUMER]), 0, PROBES, (4,))
    assert block.paths[0].end == 455


def test_a_path_that_never_began_is_left_out() -> None:
    (block,) = traces_of(file_of([LOADER, Lane()]), 0, PROBES, (4,))
    assert [path.path for path in block.paths] == ["path p == 0"]


def test_two_blocks_and_what_found_no_place() -> None:
    other = [replace(each, block=6, dropped=12) for each in (LOADER, CONSUMER)]
    blocks = traces_of(file_of([LOADER, CONSUMER, *other]), 0, PROBES, (4, 6))
    assert [[path.dropped for path in block.paths] for block in blocks] == [[0, 0], [12, 12]]


FULL = Lane(
    [(2 * turn + 1, 2 * turn + 2, 1, 0, turn) for turn in range(16_383)], 1, 40_001, start_time=1, end_time=40_001
)


def test_a_lane_holds_all_records_but_one() -> None:
    (block,) = traces_of(file_of([FULL, replace(FULL, visits=[])]), 0, PROBES, (0,))
    assert len(block.paths[0].visits) == 16_383
    assert block.paths[0].visits[-1] == Visit(1, 0, 16_382, 32_764, 32_765)


@pytest.mark.parametrize(
    ("lanes", "said"),
    [
        ([LOADER], "bytes long instead of"),
        ([Lane(), Lane()], "too short for the card's timer"),
        ([replace(LOADER, end_time=500_000), replace(CONSUMER, end_time=500_010)], "too short for the card's timer"),
        ([replace(LOADER, block=5), CONSUMER], "block 5 recorded in the place of block 4"),
        ([replace(LOADER, visits=[(BIG, BIG, 4, 0, 0)]), CONSUMER], "site 4 of 3 recorded"),
        ([replace(LOADER, visits=[(BIG + 2_000, BIG + 3_001, 1, 0, 0)]), CONSUMER], "do not lie between"),
        ([replace(LOADER, visits=[(BIG + 999, BIG + 1_100, 1, 0, 0)]), CONSUMER], "do not lie between"),
        ([replace(LOADER, end=BIG + 900), CONSUMER], "do not lie between"),
    ],
)
def test_what_no_kernel_writes_is_refused(lanes: list[Lane], said: str) -> None:
    with pytest.raises(TraceError, match=said):
        traces_of(file_of(lanes), 0, PROBES, (4,))


def test_a_block_that_recorded_nothing_is_refused() -> None:
    """Its place is empty, the other block's is not."""
    with pytest.raises(TraceError, match="block 6 recorded nothing"):
        traces_of(file_of([LOADER, CONSUMER, Lane(), Lane()]), 0, PROBES, (4, 6))


def test_a_file_that_was_cut_off_is_refused() -> None:
    data = file_of([LOADER, CONSUMER])
    for short in (data[:-16], data[: len(data) // 2], b""):
        with pytest.raises(TraceError, match="bytes long"):
            traces_of(short, 0, PROBES, (4,))


@pytest.mark.parametrize(
    ("asked", "named"), [((), (0, 63)), ((5,), (5,)), ((7, 7, 2), (7, 2)), ((63, 62, 61, 60), (63, 62, 61, 60))]
)
def test_the_blocks_that_record(tmp_path: Path, asked: tuple[int, ...], named: tuple[int, ...]) -> None:
    """512 x 512 in tiles of 64: 64 blocks."""
    program = probed(example("pipeline_course"), sizes={"M": 512, "N": 512, "K": 256})
    job = with_probes(make_job(program, {}, tmp_path, "sm_90a"), program, asked)
    assert [(launch.probe_paths, launch.probe_blocks) for launch in job.launches] == [(2, named)]


def test_a_block_that_is_not_there(tmp_path: Path) -> None:
    program = probed(example("pipeline_course"), sizes={"M": 512, "N": 512, "K": 256})
    with pytest.raises(NoBlockError, match="there is no block 64: the blocks are 0 to 63"):
        with_probes(make_job(program, {}, tmp_path, "sm_90a"), program, (3, 64))


def test_a_single_block_records_once(tmp_path: Path) -> None:
    program = probed(example("pipeline_course"), sizes={"M": 64, "N": 64, "K": 256})
    job = with_probes(make_job(program, {}, tmp_path, "sm_90a"), program)
    assert job.launches[0].probe_blocks == (0,)
