"""Events of the credit flow as result data: counts, credits, sites, the table of each waiter. Must not analyse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from croqc.flow.report import EventFacts, KernelFlow
from croqc.flow.tables import initial_credits, wait_rows, waiters
from croqc.service.check_result import Range, range_of
from croqc.text.source import Source
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class Site:
    """Where a path uses an event; `called`: its name there, where siblings call one path by names of their own."""

    path: str
    called: str
    range: Range


@dataclass(frozen=True, slots=True)
class Row:
    """One wait; see `croqc.flow.tables.WaitRow`."""

    iteration: Mapping[str, int]
    slot: int
    generation: int
    waited: int
    after: int
    phaseBit: int  # noqa: N815 (the names of the JSON fields)
    credits: int


@dataclass(frozen=True, slots=True)
class Table:
    path: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class EventEntry:
    """`shape`: the extents of its array, whose slots are numbered row by row. `arrivals` of each slot; `credits` given
    at start; `tables`: the first two rounds of each waiter."""

    name: str
    slots: int
    shape: tuple[int, ...]
    arrivals: tuple[int, ...]
    ready: bool
    range: Range
    credits: int
    grantedBy: tuple[Range, ...]  # noqa: N815
    triggeredBy: tuple[Site, ...]  # noqa: N815
    waitedBy: tuple[Site, ...]  # noqa: N815
    tables: tuple[Table, ...]


def event_entry(flow: KernelFlow, event: EventFacts, source: Source, base: int) -> EventEntry:
    def sites(of: Iterable[tuple[str, Span]]) -> tuple[Site, ...]:
        return tuple(Site(path, flow.called(path, span), range_of(source, span.shift(base))) for path, span in of)

    return EventEntry(
        name=event.name,
        slots=event.slots,
        shape=event.shape,
        arrivals=event.arrivals,
        ready=event.ready,
        range=range_of(source, event.span.shift(base)),
        credits=initial_credits(flow, event),
        grantedBy=tuple(range_of(source, span.shift(base)) for span in event.granted_by),
        triggeredBy=sites(event.triggered_by),
        waitedBy=sites(event.waited_by),
        tables=tuple(_table(flow, event, path) for path in waiters(flow, event)),
    )


def _table(flow: KernelFlow, event: EventFacts, path: str) -> Table:
    rows = tuple(
        Row(dict(r.iteration), r.slot, r.generation, r.waited, r.after, r.phase_bit, r.credits)
        for r in wait_rows(flow, event, path)
    )
    return Table(path, rows)
