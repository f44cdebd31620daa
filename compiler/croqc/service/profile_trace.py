"""A profile as a trace for chrome://tracing, Perfetto and their like. Must not measure.

Trace event format: a process a block, a thread a path, a complete event ("X") a visit; times in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from croqc.service.profile_result import BlockTime, KernelTime, ProfileResult
from croqc.service.profile_rings import what


def trace_json(result: ProfileResult) -> str:
    """The trace of every block that recorded. Same result, same bytes."""
    events: list[dict[str, Any]] = []
    process = 0
    for entry in result.profiles:
        for kernel in entry.kernels:
            for block in kernel.blocks:
                process += 1
                events += _block(process, kernel, block)
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}, indent=0, allow_nan=False) + "\n"


def _block(process: int, kernel: KernelTime, block: BlockTime) -> Iterator[dict[str, Any]]:
    title = f"{kernel.kernel}, block {block.block} (SM {block.multiprocessor})"
    yield {"ph": "M", "name": "process_name", "pid": process, "args": {"name": title}}
    yield {"ph": "M", "name": "process_sort_index", "pid": process, "args": {"sort_index": process}}
    threads = {path.name: number for number, path in enumerate(block.paths, 1)}
    for name, number in threads.items():
        yield {"ph": "M", "name": "thread_name", "pid": process, "tid": number, "args": {"name": name}}
        yield {"ph": "M", "name": "thread_sort_index", "pid": process, "tid": number, "args": {"sort_index": number}}
    for visit in block.visits:
        place = block.places[visit.place]
        args: dict[str, Any] = {"line": place.range.start.line + 1}
        if visit.turn is not None:
            args[place.loop] = visit.turn
        if visit.slot is not None:
            args["slot"] = visit.slot
        yield {
            "ph": "X",
            "name": what(place) + ("" if visit.slot is None else f"[{visit.slot}]"),
            "cat": place.op,
            "pid": process,
            "tid": threads[place.path],
            "ts": (block.start + visit.begin) / 1000,
            "dur": (visit.end - visit.begin) / 1000,
            "args": args,
        }
