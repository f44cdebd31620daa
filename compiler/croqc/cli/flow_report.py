"""The credit flow of kernels as text. Must not decide verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from croqc.service.explain_words import COVERS
from croqc.service.flow import BufferEntry, FlowEntry, FlowFindingEntry, FlowResult
from croqc.service.flow_events import EventEntry, Site

_COLOURS = {"proved": "\x1b[1;32m", "checked": "\x1b[1;32m", "fails": "\x1b[1;31m", "unknown": "\x1b[1;33m"}
_RESET = "\x1b[0m"


def flow_lines(result: FlowResult, colour: bool = False) -> list[str]:
    """The summary: verdict, paths, events, findings of each kernel."""
    lines = [line for flow in result.flows for line in _kernel(flow, colour)]
    return lines or ["no kernel here"]


def _kernel(flow: FlowEntry, colour: bool) -> Iterator[str]:
    tint, reset = (_COLOURS[flow.verdict], _RESET) if colour else ("", "")
    scope = f"; {flow.scope}" if flow.scope else ""
    yield f"{flow.path}:{flow.range.start.line + 1}: {flow.function}: {tint}{flow.strength}{reset}{scope}"
    if flow.place is not None:
        yield f"  at line {flow.place.start.line + 1}: {flow.reason}"
    names = [item.name for item in flow.paths]
    names += [item.name for item in flow.events] + [item.name for item in flow.buffers]
    width = max(map(len, names), default=0)
    for path in flow.paths:
        ahead = f", may be {_many(path.ahead, 'round')} ahead (credits of {path.aheadOn})" if path.ahead else ""
        threads = _many(path.threads, "thread") if path.threads else "as many threads as the sizes say"
        yield f"  {path.name:{width}}  {threads}{ahead}"
    for event in flow.events:
        yield f"  {event.name:{width}}  {_event(event)}"
    for buffer in flow.buffers:
        yield f"  {buffer.name:{width}}  {_many(buffer.slots, 'slot')}{_size(buffer)}"
    for finding in flow.findings:
        yield from _finding(flow, finding)
    if flow.verdict in ("proved", "checked"):
        yield f"  {flow.verdict}: {COVERS}"


def _size(buffer: BufferEntry) -> str:
    return " whose bytes follow the sizes" if buffer.slotBytes is None else f" of {buffer.slotBytes:,} bytes"


def _event(event: EventEntry) -> str:
    counts = sorted(set(event.arrivals))
    arrivals = " or ".join(map(str, counts)) + f" arrival{'' if counts == [1] else 's'} a generation"
    counted = _many(event.credits, "credit") if event.credits else "credits" if event.grantedBy else "no credits"
    start = f"{counted} at start"
    given = " (ready)" if event.ready else _at([Site("", "", place) for place in event.grantedBy])
    parts = [f"{_many(event.slots, 'slot')}, {arrivals}, {start}{given}"]
    if event.triggeredBy:
        parts.append("given by " + _sites(event.triggeredBy))
    if event.waitedBy:
        parts.append("awaited by " + _sites(event.waitedBy))
    return "; ".join(parts)


def _sites(sites: Iterable[Site]) -> str:
    """ "path p == 0 (line 27), path p == 1 (lines 31, 40)"."""
    found: dict[str, list[Site]] = {}
    for site in sites:
        found.setdefault(site.called, []).append(site)
    return ", ".join(path + _at(places) for path, places in found.items())


def _at(sites: list[Site]) -> str:
    lines = sorted({site.range.start.line + 1 for site in sites})
    return f" (line{'' if len(lines) == 1 else 's'} {', '.join(map(str, lines))})" if lines else ""


def _finding(flow: FlowEntry, item: FlowFindingEntry) -> Iterator[str]:
    sizes = " ".join(f"{name}={value}" for name, value in item.sizes.items())
    place = f"{flow.path}:{item.range.start.line + 1}:{item.range.start.character + 1}"
    yield f"  {place}: {item.severity}: {item.message} [{item.code}]{f' with {sizes}' if sizes else ''}"
    for other in item.related:
        yield f"    line {other.range.start.line + 1}: {other.message}"


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
