"""Traces of a card as result data: places in the reader's names, with what each took. Must not judge times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from croqc.engines.gpu.traces import BlockTrace, PathTrace, Visit
from croqc.engines.hang import event_at
from croqc.pipe import ir
from croqc.sema.model import Model
from croqc.service.check_result import range_of
from croqc.service.profile_result import BlockTime, PathTime, PlaceTime, VisitTime
from croqc.text.source import Source
from croqc.text.span import Span

_WAITS: Final = ("wait", "wait-future")


@dataclass(frozen=True, slots=True)
class Place:
    """A site of a kernel in the reader's names; `span` relative to the function."""

    op: str
    event: str
    buffer: str
    loop: str
    slotted: bool
    span: Span
    bytes: int
    leaves: bool


def places_of(model: Model, probes: ir.Probes) -> tuple[Place, ...]:
    """The sites of a kernel, by number from 0. A wait for a barrier of the lowering's own is one for copies."""
    names = {symbol.name for symbol in model.symbols}
    found = []
    for site in probes.sites:
        event = event_at(model, site.event_span)
        op = "wait-future" if event is None and site.op == "wait" else site.op
        name = "" if event is None else event.name
        slotted = site.slotted and (event is not None or bool(site.buffer))
        buffer, loop = _source_name(site.buffer, names), _source_name(site.loop, names)
        found.append(Place(op, name, buffer, loop, slotted, site.span, site.bytes, site.leaves))
    return tuple(found)


def _source_name(name: str, known: set[str]) -> str:
    """What the source calls a name of the generated code: that, or without what made it unique; a future's data is
    called as the future."""
    plain = re.sub(r"_\d+$", "", name)
    return next((each for each in (name, plain, plain.removesuffix("_data")) if each in known), name)


def block_time(trace: BlockTrace, places: Sequence[Place], origin: int, source: Source, base: int) -> BlockTime:
    """A block. `origin`: the timer's nanoseconds at the start of the first one; `base`: the function's place."""
    table: list[PlaceTime] = []
    visits: list[VisitTime] = []
    for path in trace.paths:
        own = {_key(places[site - 1]): places[site - 1] for site in sorted({visit.site for visit in path.visits})}
        at = {key: len(table) + number for number, key in enumerate(own)}
        took: dict[tuple[object, ...], list[int]] = {key: [] for key in own}
        for visit in path.visits:
            took[_key(places[visit.site - 1])].append(visit.end - visit.begin)
        table += [_place(path, place, took[key], source, base) for key, place in own.items()]
        visits += [_visit(visit, places[visit.site - 1], at) for visit in path.visits]
    paths = tuple(PathTime(path.path, path.start, path.end, _kept(path), path.dropped) for path in trace.paths)
    return BlockTime(
        trace.block,
        trace.multiprocessor,
        trace.start - origin,
        trace.length,
        paths,
        tuple(table),
        tuple(sorted(visits, key=lambda visit: (visit.begin, visit.end, visit.place))),
    )


def _key(place: Place) -> tuple[object, ...]:
    """What sites have in common that are one place to a reader: a statement may become several of a kind."""
    return place.op, place.event, place.buffer, place.leaves, place.loop, place.span


def _kept(path: PathTrace) -> int:
    """Until when all is known of a path."""
    return path.visits[-1].end if path.dropped and path.visits else path.end


def _place(path: PathTrace, place: Place, took: Sequence[int], source: Source, base: int) -> PlaceTime:
    whole = max(_kept(path) - path.start, 1)
    return PlaceTime(
        path.path,
        place.op,
        place.event,
        place.buffer,
        place.leaves,
        place.loop,
        range_of(source, place.span.shift(base)),
        len(took),
        sum(took),
        round(median(took)),
        max(took),
        took[0],
        sum(took) / whole,
        place.op in _WAITS,
    )


def _visit(visit: Visit, place: Place, at: Mapping[tuple[object, ...], int]) -> VisitTime:
    slot = visit.slot if place.slotted else None
    return VisitTime(at[_key(place)], slot, visit.turn if place.loop else None, visit.begin, visit.end)


def origin_of(traces: Iterable[BlockTrace]) -> int:
    """The timer's nanoseconds at the start of the first block."""
    return min((trace.start for trace in traces), default=0)
