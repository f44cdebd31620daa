"""What a kernel's events and stage buffers are, whoever runs. Must not run anything."""

from __future__ import annotations

from croqc.flow.instances import refs_of
from croqc.flow.ops_events import EventRef, Trigger, WaitEvent
from croqc.flow.paths import WHOLE, Path
from croqc.flow.program import Event, Op, Program
from croqc.flow.report import BufferFacts, EventFacts
from croqc.flow.run import Setting
from croqc.flow.slot_names import shape_of


def event_facts(setting: Setting) -> tuple[EventFacts, ...]:
    sites: dict[int, list[tuple[Op, EventRef]]] = {}
    for op in setting.program.ops:
        for ref in refs_of(op):
            sites.setdefault(ref.event.number, []).append((op, ref))
    return tuple(_event(setting, event, sites.get(event.number, [])) for event in setting.program.events)


def _event(setting: Setting, event: Event, sites: list[tuple[Op, EventRef]]) -> EventFacts:
    triggered, waited, granted = [], [], []
    for op, ref in sites:
        names = _names(setting, op)
        if isinstance(op, Trigger):
            triggered += [(name, ref.span) for name in names]
            granted += [ref.span] if ref.span in setting.bootstraps else []
        elif isinstance(op, WaitEvent):
            waited += [(name, ref.span) for name in names]
    return EventFacts(
        event.symbol.name,
        event.symbol,
        event.slots,
        event.counts,
        event.ready,
        event.span,
        (event.span,) if event.ready else tuple(granted),
        tuple(triggered),
        tuple(waited),
        shape_of(event),
        tuple(_waiting(setting, event, slot) for slot in range(event.slots)),
    )


def _waiting(setting: Setting, event: Event, slot: int) -> frozenset[str]:
    arrivals = setting.arrivals.get((event.symbol, slot))
    numbers = () if arrivals is None else arrivals.waiting
    return frozenset(WHOLE if number < 0 else setting.paths[number].name for number in numbers)


def _names(setting: Setting, op: Op) -> list[str]:
    if op.role is None and not setting.program.divided:
        return [WHOLE]
    return [path.name for path in setting.paths if may_run(path, op)]


def may_run(path: Path, op: Op) -> bool:
    """Whether the `parallel` and the region of a step let a path run it."""
    return op.top not in path.apart and (op.role is None or path.regions.get(op.role) is not False)


def buffer_facts(program: Program) -> tuple[BufferFacts, ...]:
    return tuple(
        BufferFacts(stage.symbol.name, stage.symbol, stage.slots, stage.slot_bytes, stage.span, shape_of(stage))
        for stage in program.stages
    )
