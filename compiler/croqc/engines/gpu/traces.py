"""What the probes of a kernel recorded, read back: for each block and path when it was where. Must not judge it.

The memory is written by the card (codegen/include/croq/probe.cuh). Clocks are those of one multiprocessor, and so the
same for all paths of a block; the card's timer, which moves in steps, says how long a cycle is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Final

import numpy as np

from croqc.codegen.probe_format import BLOCKS, LANE_BYTES, PLACES, RECORD_BYTES
from croqc.codegen.program import Program
from croqc.engines.gpu.protocol import RECORDED, Job
from croqc.pipe import ir

_LANE: Final = np.dtype(
    [("start_clock", "<u8"), ("start_time", "<u8"), ("end_clock", "<u8"), ("end_time", "<u8"), ("block", "<u4"),
     ("multiprocessor", "<u4"), ("dropped", "<u4"), ("unused", "<u4", 5)]
)  # fmt: skip
_RECORD: Final = np.dtype([("begun", "<u4"), ("ended", "<u4"), ("site", "<u2"), ("slot", "<u2"), ("turn", "<i4")])
assert (_LANE.itemsize, _RECORD.itemsize) == (LANE_BYTES, RECORD_BYTES)


class TraceError(ValueError):
    """The records are not what a kernel can have written; the text says in what."""


class NoBlockError(ValueError):
    """No kernel of the program has a block of a number that was asked for; the text says which there are."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A stay at a place: `site` counts from 1. Nanoseconds since the block's start. `slot` is 0 where the site has
    none, `turn` where it stands in no loop."""

    site: int
    slot: int
    turn: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class PathTrace:
    """A path of a block, nanoseconds since the block's start. `dropped`: how many visits came behind those kept."""

    path: str
    start: int
    end: int
    dropped: int
    visits: tuple[Visit, ...]


@dataclass(frozen=True, slots=True)
class BlockTrace:
    """A block of a launch. `launch`: its number in the program; `start`: nanoseconds of the card's timer; `paths`:
    those that ran, in order."""

    launch: int
    block: int
    multiprocessor: int
    start: int
    paths: tuple[PathTrace, ...]

    @property
    def length(self) -> int:
        """Nanoseconds from the first path's start to the last one's end."""
        return max(path.end for path in self.paths)


def with_probes(job: Job, program: Program, blocks: Sequence[int] = ()) -> Job:
    """The job with blocks that record: the first and the last, unless others are named (at most BLOCKS).

    Raises NoBlockError for a block that no launch has.
    """
    launches = []
    known: set[int] = set()
    for launch, kernel in zip(job.launches, (each.kernel for each in program.launches), strict=True):
        count = prod(launch.grid)
        own = tuple(dict.fromkeys(block for block in blocks or (0, count - 1) if block < count))[:BLOCKS]
        known |= set(own)
        paths = len(kernel.probes.recorders) if kernel.probes is not None and own else 0
        launches.append(replace(launch, probe_paths=paths, probe_blocks=own))
    if lost := sorted(set(blocks) - known):
        most = max(prod(launch.grid) for launch in job.launches)
        raise NoBlockError(f"there is no block {lost[0]}: the blocks are 0 to {most - 1}")
    return replace(job, launches=tuple(launches))


def traces_of(data: bytes, number: int, probes: ir.Probes, blocks: Sequence[int]) -> tuple[BlockTrace, ...]:
    """The blocks of a launch, from the file that its probes left. `number`: of the launch. Raises TraceError."""
    paths = len(probes.recorders)
    count = paths * len(blocks)
    heads = RECORDED * count * LANE_BYTES
    if len(data) != heads + count * PLACES * RECORD_BYTES:
        raise TraceError(f"they are {len(data):,} bytes long instead of {heads + count * PLACES * RECORD_BYTES:,}")
    lanes = np.frombuffer(data[:heads], dtype=_LANE).reshape(RECORDED, len(blocks), paths)
    records = np.frombuffer(data[heads:], dtype=_RECORD).reshape(len(blocks), paths, PLACES)
    scale = _nanoseconds_a_cycle(lanes)
    return tuple(
        _block(number, block, probes, lanes[-1, at], records[at], scale) for at, block in enumerate(blocks)
    )  # fmt: skip


def _nanoseconds_a_cycle(lanes: Any) -> float:
    """Over all paths of all rounds that came to their end."""
    ended = lanes[lanes["end_clock"] > lanes["start_clock"]]
    cycles = int((ended["end_clock"] - ended["start_clock"]).sum())
    time = int(ended["end_time"].astype(np.int64).sum() - ended["start_time"].astype(np.int64).sum())
    if cycles == 0 or time <= 0:
        raise TraceError("the kernel is too short for the card's timer; use larger sizes")
    return time / cycles


def _block(number: int, block: int, probes: ir.Probes, lanes: Any, records: Any, scale: float) -> BlockTrace:
    ran = [path for path in range(len(lanes)) if lanes[path]["start_clock"]]
    if not ran:
        raise TraceError(f"block {block} recorded nothing")
    if any(int(lanes[path]["block"]) != block for path in ran):
        raise TraceError(f"block {int(lanes[ran[0]]['block'])} recorded in the place of block {block}")
    first = min(ran, key=lambda path: int(lanes[path]["start_clock"]))
    start = int(lanes[first]["start_clock"])
    found = tuple(_path(probes, path, lanes[path], records[path], start, scale) for path in ran)
    return BlockTrace(number, block, int(lanes[first]["multiprocessor"]), int(lanes[first]["start_time"]), found)


def _path(probes: ir.Probes, path: int, lane: Any, records: Any, start: int, scale: float) -> PathTrace:
    """One lane. The low halves of the clock are continued from the path's start, none before the one in front.

    Between two of them fewer cycles must lie than a half counts; where the path's end, whose clock is whole, says that
    more did, nobody knows between which. Behind visits that were dropped so many may lie.
    """
    own = int(lane["start_clock"])
    kept = records[: _count(records)]
    if len(kept) and int(kept["site"].max()) > len(probes.sites):
        raise TraceError(f"site {int(kept['site'].max())} of {len(probes.sites)} recorded")
    low = np.empty(2 * len(kept) + 1, np.int64)
    low[0], low[1::2], low[2::2] = own & 0xFFFFFFFF, kept["begun"], kept["ended"]
    cycles = own + np.cumsum(np.diff(low) & 0xFFFFFFFF)
    end = int(lane["end_clock"]) or (int(cycles[-1]) if len(kept) else own)  # a path that returns early has no end
    if end < own or (len(kept) and int(cycles[-1]) > end):
        raise TraceError("their clocks do not lie between the start and the end of their path")
    if len(kept) and not int(lane["dropped"]) and end - int(cycles[-1]) > 0xFFFFFFFF:
        raise TraceError(
            f"between two records of {probes.recorders[path].path} 2^32 cycles passed (about two seconds), "
            "more than their clocks count; use smaller sizes"
        )
    times = np.rint((cycles - start) * scale).astype(np.int64).tolist()
    rows = zip(
        kept["site"].tolist(), kept["slot"].tolist(), kept["turn"].tolist(), times[::2], times[1::2], strict=True
    )
    visits = tuple(Visit(*row) for row in rows)
    name = probes.recorders[path].path
    return PathTrace(name, round((own - start) * scale), round((end - start) * scale), int(lane["dropped"]), visits)


def _count(records: Any) -> int:
    """How many records there are: the first that is empty ends them."""
    empty = np.flatnonzero(records["site"] == 0)
    return int(empty[0]) if len(empty) else len(records)
