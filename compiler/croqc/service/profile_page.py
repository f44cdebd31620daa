"""The page of a profile: that of the credit flow, with the recorded blocks as runs. Must not measure or draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from croqc.service.flow import flow_result
from croqc.service.flow_page import page_of
from croqc.service.flow_run import LIMIT, Picture, StepEntry
from croqc.service.json_text import to_compact_json, to_data
from croqc.service.profile import Profiled, flows_of
from croqc.service.profile_blocks import places_of
from croqc.service.profile_picture import recorded_run
from croqc.service.profile_result import BlockTime, KernelTime, PlaceTime


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run of the page whose times are nanoseconds. `about`: where they come from; `verdict` and `tries` as in
    `profile_result.KernelTime`, `places` as in its `BlockTime`."""

    name: str
    about: str
    verdict: str
    tries: tuple[str, ...]
    sizes: Mapping[str, int | float | bool]
    steps: tuple[StepEntry, ...]
    picture: Picture
    places: tuple[PlaceTime, ...]


def profile_page(profiles: Sequence[Profiled]) -> str:
    """One self-contained HTML text. Same profiles, same bytes."""
    return page_of(to_compact_json(measured_flows(profiles)))


def measured_flows(profiles: Sequence[Profiled]) -> dict[str, Any]:
    """The data of the page: as `croq flow --json`, with the recorded blocks of each kernel in `recorded`."""
    flows: list[dict[str, Any]] = []
    for item in profiles:
        overload = item.report.overloads[item.function.base]
        own = to_data(flow_result(item.report, item.function.name, overload=overload))["flows"]
        runs = list(_runs(item))
        for number, flow in enumerate(own):
            flow["recorded"] = [to_data(run) for kernel, run in runs if kernel == number]
            flow["lines"] = _with_lines(item, flow)
        flows += own
    return {"version": 1, "flows": flows}


def _runs(item: Profiled) -> Iterator[tuple[int, RecordedRun]]:
    """The recorded blocks with the number of their kernel."""
    if item.function.analysis is None:
        return
    flows = flows_of(item.report, item.function)
    for number, (kernel, time) in enumerate(zip(item.kernels, item.entry.kernels, strict=True)):
        assert kernel.probes is not None
        places = places_of(item.function.analysis.model, kernel.probes)
        traces = [trace for trace in item.traces if trace.launch == number]
        for trace, block in zip(traces, time.blocks, strict=True):
            steps, picture = recorded_run(trace, places, flows.get(number), item.report.source, item.function.base)
            about = _about(item, block, len(steps))
            name = f"Measured: block {block.block}"
            yield (
                number,
                RecordedRun(name, about, _verdict(time), time.tries, item.entry.sizes, steps, picture, block.places),
            )


def _verdict(time: KernelTime) -> str:
    if time.ring is None:
        return time.verdict
    ring = time.rings[time.ring]
    return f"ring {ring.full}/{ring.empty}: {time.verdict}"


def _about(item: Profiled, block: BlockTime, shown: int) -> str:
    entry = item.entry
    text = f"Block {block.block} on SM {block.multiprocessor} of {entry.card}, {block.length / 1000:.2f} µs"
    text += f"; with probes in every block the kernel takes {entry.slowdown:.2f} × the plain time"
    return text + (
        f"; the first {shown:,} of {len(block.visits):,} visits are drawn" if len(block.visits) > LIMIT else ""
    )


def _with_lines(item: Profiled, flow: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The lines that the page shows, those of the recorded steps among them."""
    numbers = {step["range"]["start"]["line"] for run in flow["recorded"] for step in run["steps"]}
    numbers |= {line["line"] for line in flow["lines"]}
    return [{"line": number, "text": item.report.source.line_text(number)} for number in sorted(numbers)]
