"""The visit's part about `croq profile`: real kernels at real sizes, and what is wrong with what they recorded.

Each row keeps the whole report and the faults in words, so that one look at the file tells what went wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from croqc.cli.profile_report import report_lines
from croqc.engines.gpu.parent import Parent
from croqc.service.check import FileReport, check_file
from croqc.service.flow import FlowEntry, flow_result
from croqc.service.profile import Profiled, ProfileRequest, profile_file
from croqc.service.profile_result import BlockTime, ProfileEntry
from croqc.service.run_plan import CardRequest, Request

EXAMPLES = Path(__file__).parents[3] / "examples"
CASES: tuple[tuple[str, dict[str, int]], ...] = (
    ("pipeline_course.co", {"M": 4096, "N": 4096, "K": 4096}),
    ("gemm_f16.co", {"M": 4096, "N": 4096, "K": 4096}),
    ("persistent_1p2c.co", {"M": 4096, "N": 4096, "K": 2048}),
    ("matmul_ragged.co", {"M": 1000, "N": 1000, "K": 1024}),
    ("swap_f16.co", {"M": 2048, "N": 2048, "K": 2048}),
    ("add_tiled.co", {}),
)
LONGEST = 1.2  # a block's time by the time of the kernel, which is that of other launches
SLOWDOWN = 2.0  # 1.2 to 1.6 on an H200; beyond it the times say little of the plain kernel


def recheck(arch: str) -> FileReport:
    raise AssertionError("no file here asks for another architecture")


def profiles(card: Parent) -> list[dict[str, Any]]:
    """Every case. `faults` is empty where all holds."""
    return [profile(card, EXAMPLES / name, sizes) for name, sizes in CASES]


def profile(card: Parent, file: Path, sizes: Mapping[str, int]) -> dict[str, Any]:
    """One file's first function."""
    report = check_file(file)
    request = ProfileRequest(Request(sizes=dict(sizes), card=CardRequest()))
    found = next(iter(profile_file(report, request, recheck, card)))
    lines = report_lines(found.entry)
    faults = list(_faults(found))
    print("\n".join([*lines, *(f"  FAULT: {fault}" for fault in faults)]), flush=True)
    row: dict[str, Any] = {"case": file.name, "sizes": dict(found.entry.sizes), "faults": faults, "report": lines}
    row |= {"plain": found.entry.plain, "probed": found.entry.probed, "slowdown": found.entry.slowdown}
    return row | {"kernels": [_shape(found.entry, number) for number in range(len(found.entry.kernels))]}


def _shape(entry: ProfileEntry, number: int) -> dict[str, Any]:
    """Of each block the times of its paths, and the first visits as they were decoded."""
    kernel = entry.kernels[number]
    blocks = [
        {
            "block": block.block,
            "multiprocessor": block.multiprocessor,
            "start": block.start,
            "length": block.length,
            "paths": [[path.name, path.start, path.end, path.dropped] for path in block.paths],
            "visits": len(block.visits),
            "first": [
                [block.places[each.place].op, each.slot, each.turn, each.begin, each.end] for each in block.visits[:40]
            ],
        }
        for block in kernel.blocks
    ]
    return {"kernel": kernel.kernel, "slow": kernel.slow, "verdict": kernel.verdict, "blocks": blocks}


def _faults(found: Profiled) -> Iterator[str]:
    entry = found.entry
    if not entry.kernels:
        yield f"not profiled: {entry.message}"
        return
    if not 0 < entry.slowdown < SLOWDOWN:
        yield f"with probes it takes {entry.slowdown:.3f} x the plain time"
    flows = flow_result(found.report, found.function.name).flows
    for kernel, flow in zip(entry.kernels, flows, strict=True):
        for block in kernel.blocks:
            yield from (f"{kernel.kernel}, block {block.block}: {fault}" for fault in _of_block(block, entry, flow))


def _of_block(block: BlockTime, entry: ProfileEntry, flow: FlowEntry) -> Iterator[str]:
    if block.length > LONGEST * max(entry.plain, entry.probed) * 1e9:
        yield f"it lasts {block.length} ns, the kernel {entry.plain * 1e9:.0f}"
    if {path.name for path in block.paths} != {path.name for path in flow.paths}:
        yield f"paths {[path.name for path in block.paths]} instead of {[path.name for path in flow.paths]}"
    for path in block.paths:
        own = [visit for visit in block.visits if block.places[visit.place].path == path.name]
        if any(visit.end < visit.begin for visit in own):
            yield f"{path.name}: a visit ends before it begins"
        late = [(one, other) for one, other in pairwise(own) if other.begin < one.end]
        if late:
            yield f"{path.name}: {len(late)} visits begin before the one before has ended, the first {late[0]}"
        if own and not path.start <= own[0].begin <= own[-1].end <= path.end:
            yield f"{path.name}: visits from {own[0].begin} to {own[-1].end} lie outside {path.start} to {path.end}"
        if sum(visit.end - visit.begin for visit in own) > path.end - path.start:
            yield f"{path.name}: the visits take longer than the path"
    seen = {(place.path, place.op, place.event, place.range.start.line) for place in block.places}
    if missing := sorted(_expected(flow) - seen):
        yield f"nothing was recorded of {missing}"
    yield from _turns(block)


def _expected(flow: FlowEntry) -> set[tuple[str, str, str, int]]:
    """Each wait and trigger of the credit flow: path, what, event, line."""
    found = set()
    for event in flow.events:
        for op, sites in (("wait", event.waitedBy), ("trigger", event.triggeredBy)):
            found |= {(site.path, op, event.name, site.range.start.line) for site in sites}
    return found


def _turns(block: BlockTime) -> Iterator[str]:
    """As many full slots are given as are waited for by each consumer; of a path that dropped nothing."""
    if any(path.dropped for path in block.paths):
        return
    waits: Counter[tuple[str, str]] = Counter()
    for place in block.places:
        if place.op == "wait":
            waits[place.event, place.path] += place.count
    counts = {count for (event, _), count in waits.items() if event == "full"}
    given = sum(place.count for place in block.places if (place.op, place.event) == ("trigger", "full"))
    if counts and counts != {given}:
        yield f"{given} times full was given, and it was waited for {sorted(counts)} times"
