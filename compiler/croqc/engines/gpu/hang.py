"""Where the paths of a hung kernel stand, from the records that its waits left. Must not format places.

The file is written by the card (codegen/include/croq/report.cuh), lives in shared memory and outlives the process that
ran the kernel.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path as File
from typing import Final

import numpy as np

from croqc.codegen.program import Program
from croqc.codegen.report import RECORD_WORDS, WaitSite
from croqc.engines.gpu.protocol import Job
from croqc.engines.hang import HungPath, debtors, event_at
from croqc.flow.paths import Path, kernel_paths
from croqc.sema.model import Kernel, Model
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.text.span import Span

_RECORD_BYTES: Final = 4 * RECORD_WORDS
_REPORT_BYTES: Final = 4 << 20
_SHARED: Final = File("/dev/shm")


@dataclass(frozen=True, slots=True)
class WaitRecord:
    """A thread that waits. `site` counts from 1; `gave_up`: behind its time limit, which ended the kernel."""

    site: int
    slot: int
    generation: int
    parity: int
    gave_up: bool
    block: int
    thread: int


def report_folder() -> File:
    """Memory that is shared between processes and that the card can be given; else the folder of temporary files."""
    usable = _SHARED.is_dir() and os.access(_SHARED, os.W_OK | os.X_OK)
    return _SHARED if usable else File(tempfile.gettempdir())


def with_report(job: Job, file: File, limit: float) -> Job:
    """The job with a report for its waits, which give up after `limit` seconds. Makes the file; raises OSError."""
    launches = []
    size = 1
    for launch in job.launches:
        own = launch.threads * _RECORD_BYTES
        blocks = max(1, min(prod(launch.grid), _REPORT_BYTES // own))
        size = max(size, blocks * own)
        launches.append(replace(launch, report_blocks=blocks))
    with file.open("xb") as made:
        made.truncate(size)
    return replace(job, launches=tuple(launches), report=str(file), wait_limit=limit)


def read_records(file: File) -> tuple[WaitRecord, ...]:
    """Every thread that waits, in no particular order. Raises OSError."""
    words = np.fromfile(file, dtype=np.uint32)
    rows = words[: len(words) // RECORD_WORDS * RECORD_WORDS].reshape(-1, RECORD_WORDS)
    found = rows[rows[:, 0] != 0].tolist()
    return tuple(WaitRecord(row[0], row[1], row[2], row[3], row[4] == 2, row[5], row[6]) for row in found)


def hung_paths(
    model: Model, program: Program, records: Sequence[WaitRecord]
) -> tuple[tuple[HungPath, ...], tuple[str, ...]]:
    """The paths that stand still in the block of which most is known, in order; and what is to be said besides."""
    sites = program.unit.sites or ()
    blocks: defaultdict[tuple[int, int], list[WaitRecord]] = defaultdict(list)
    for record in records:
        if 1 <= record.site <= len(sites):
            blocks[sites[record.site - 1].kernel, record.block].append(record)
    if not blocks:
        return (), ()
    found = {key: _standing(model, model.kernels[key[0]], sites, waits) for key, waits in blocks.items()}
    key = min(found, key=lambda each: (-len(found[each]), each))
    number, block = key
    kernel, name = model.kernels[number], program.kernels[number].name
    entries = tuple(_entry(model, kernel, sites, path, record, found[key]) for path, record in found[key].items())
    others = sum(each[0] == number for each in blocks) - 1
    where = f"kernel '{name}' stands still in block {block}"
    return entries, (where + (f" and {others} more" if others else ""),)


_Standing = dict[Path, WaitRecord]


def _standing(model: Model, kernel: Kernel, sites: Sequence[WaitSite], waits: Sequence[WaitRecord]) -> _Standing:
    """The wait of each path, that of its first thread."""
    by_thread = {record.thread: record for record in sorted(waits, key=lambda each: -each.thread)}
    found: _Standing = {}
    for path in kernel_paths(model, kernel):
        own = path.numbers
        elsewhere = {thread for thread, each in by_thread.items() if _stands_in(path.apart, sites[each.site - 1].span)}
        waiting = [thread for thread in by_thread if (thread in own or not own) and thread not in elsewhere]
        if waiting:
            found[path] = by_thread[min(waiting)]
    return found


def _stands_in(parallels: Iterable[ast.Parallel], place: Span) -> bool:
    return any(each.span.start <= place.start < each.span.end for each in parallels)


def _entry(
    model: Model, kernel: Kernel, sites: Sequence[WaitSite], path: Path, record: WaitRecord, standing: _Standing
) -> HungPath:
    site = sites[record.site - 1]
    symbol = event_at(model, site.event_span)
    if symbol is None:  # a barrier of the lowering's own, for a copy that the source waits for
        return HungPath(path.name, site.span, "a copy", None, record.generation, ())
    assert isinstance(symbol.type, Event)
    slot = record.slot if symbol.type.array else None
    spans: dict[str, Span] = {each.name: sites[one.site - 1].span for each, one in standing.items()}
    owed = debtors(model, kernel, symbol, spans)
    return HungPath(path.name, site.span, symbol.name, slot, record.generation, owed, shape=symbol.type.array)
