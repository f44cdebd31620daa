"""What is left at the end of a run that came to its end: data that nobody took (credit-flow, section 4)."""

from __future__ import annotations

from croqc.flow.ops_events import WaitEvent
from croqc.flow.report import FlowFinding
from croqc.flow.state import EventSlot, PathState
from croqc.flow.verdicts.case import Case
from croqc.flow.verdicts.deadlock import turns_finding, unequal_turns
from croqc.text.diagnostics import Related


def judge_leftovers(case: Case) -> FlowFinding | None:
    """A generation of a data event that some waiter of the slot never waited for."""
    for slot in case.machine.slots():
        event = slot.event
        if event.number not in case.sites.data or case.sites.is_granted(event) or not slot.completed:
            continue
        for path in _waiting(case, slot):
            taken = path.waits.get(slot, 0)
            waits = [op for op in case.sites.waits(slot.event) if path.number in case.sites.reach.get(id(op), ())]
            if waits and taken < slot.completed:
                return _told(case, slot, path.number, waits[0], taken)
    return None


def _waiting(case: Case, slot: EventSlot) -> list[PathState]:
    """The paths that take part in a slot: those that waited for it, else those whose waits can mean it."""
    paths = case.machine.paths[: len(case.setting.paths)]
    taking = [path for path in paths if path.waits.get(slot, 0)]
    arrivals = case.counts_of(slot)
    return taking or [path for path in paths if arrivals is None or path.number in arrivals.waiting]


def _told(case: Case, slot: EventSlot, number: int, wait: WaitEvent, taken: int) -> FlowFinding:
    arrivals = case.counts_of(slot)
    owing = () if arrivals is None else tuple(sorted(arrivals.steady))
    unequal = unequal_turns(case, wait, number, slot, owing)
    if unequal is not None:
        return turns_finding(case, slot, *unequal, deadlock=False, related=[Related("the wait", wait.span)])
    source = case.machine.arrival(*slot.sources[-1]) if slot.sources else None
    return case.finding(
        "unconsumed-credit",
        source.op.span if source is not None else slot.event.span,
        [Related(f"{case.name(number, wait)} waits here {taken} time{'s' if taken != 1 else ''}", wait.span)],
        event=slot.event.symbol.name,
        slot=slot.index if slot.event.slots > 1 else None,
        generation=taken,
        path=case.name(number, wait),
        completed=slot.completed,
        taken=taken,
    )
