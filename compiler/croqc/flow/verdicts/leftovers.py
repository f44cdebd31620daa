"""What is left at the end of a run that came to its end: data that nobody took (credit-flow, section 4)."""

from __future__ import annotations

from croqc.flow.ops_events import WaitEvent
from croqc.flow.report import FlowFinding
from croqc.flow.state import EventSlot
from croqc.flow.verdicts.case import Case
from croqc.flow.verdicts.deadlock import turns_finding, unequal_turns
from croqc.text.diagnostics import Related


def judge_leftovers(case: Case) -> FlowFinding | None:
    """A generation of a data event that some waiter never waited for."""
    for slot in case.machine.slots():
        if slot.event.number not in case.sites.data or not slot.completed:
            continue
        for path in case.machine.paths:
            taken = path.waits.get(slot, 0)
            waits = [op for op in case.sites.waits(slot.event) if path.number in case.sites.reach.get(id(op), ())]
            if waits and taken < slot.completed and path is not case.machine.block:
                return _told(case, slot, path.number, waits[0], taken)
    return None


def _told(case: Case, slot: EventSlot, number: int, wait: WaitEvent, taken: int) -> FlowFinding:
    arrivals = case.counts_of(slot)
    owing = () if arrivals is None else tuple(sorted(arrivals.steady))
    unequal = unequal_turns(case, wait, number, slot, owing)
    if unequal is not None:
        return turns_finding(case, slot, *unequal, deadlock=False, related=[Related("the wait", wait.span)])
    source = slot.sources[-1] if slot.sources else None
    return case.finding(
        "unconsumed-credit",
        source.op.span if source is not None else slot.event.span,
        [Related(f"{case.name(number)} waits here {taken} time{'s' if taken != 1 else ''}", wait.span)],
        event=slot.event.symbol.name,
        slot=slot.index if slot.event.slots > 1 else None,
        generation=taken,
        path=case.name(number),
        completed=slot.completed,
        taken=taken,
    )
