"""What a failed instance comes to: the finding that explains the others. Must not run paths itself."""

from __future__ import annotations

from croqc.flow.report import FlowFinding
from croqc.flow.state import Fault
from croqc.flow.verdicts.case import Case
from croqc.flow.verdicts.deadlock import judge_deadlock
from croqc.flow.verdicts.futures import judge_handles, judge_waits
from croqc.flow.verdicts.gaps import judge_gaps
from croqc.flow.verdicts.leftovers import judge_leftovers
from croqc.flow.verdicts.races import judge_order
from croqc.flow.verdicts.rings import judge_ring, tell_outside
from croqc.flow.verdicts.shifts import judge_shift


def judge(case: Case) -> list[FlowFinding]:
    """Findings of one instance, errors only; empty if it is clean.

    Handles and barriers are matters of one path each; of the others one finding stands for all, because a fault in
    the order of a ring shows in many ways at once.
    """
    faults = list(case.machine.faults.values())
    wrong = judge_handles(case)
    if wrong is not None:
        return [wrong]
    found = _judge_faults(case, faults) if faults or case.machine.stuck() else []
    gap = judge_gaps(case) if not found and not case.machine.stuck() else None
    return found if gap is None else [gap]


def _judge_faults(case: Case, faults: list[Fault]) -> list[FlowFinding]:
    named = next((fault for fault in faults if fault.kind == "bar"), None)
    if named is not None:
        return [_named_barrier(case, named)]
    ordered = [fault for fault in faults if fault.kind == "order"]
    ring = judge_ring(case) or judge_shift(case) if not ordered else None
    if ring is not None:
        return [ring]
    outside = next((fault for fault in faults if fault.kind == "range"), None)
    if outside is not None:  # a wait for no slot waits for nothing: what comes of that explains it the other way round
        return [tell_outside(case, outside)]
    found = judge_order(case)
    if found is None and case.machine.stuck():
        found = judge_deadlock(case)
    found = found or judge_waits(case)
    if found is not None:
        return [found]
    unbound = next((fault for fault in faults if fault.kind == "never-bound"), None)
    if unbound is not None:
        return [_unbound(case, unbound)]
    return []


def judge_end(case: Case) -> FlowFinding | None:
    """Warnings of an instance that came to its end."""
    return judge_leftovers(case)


def _named_barrier(case: Case, fault: Fault) -> FlowFinding:
    other = fault.other
    return case.finding(
        "named-barrier-mismatch",
        fault.at.op.span,
        [case.related("the barrier is used here, too", other)] if other is not None else [],
        path=case.who(fault.at),
        **{
            key: value for key, value in fault.about.items() if key in ("why", "count", "expected", "threads", "number")
        },
    )


def _unbound(case: Case, fault: Fault) -> FlowFinding:
    """A copy that names an event slot which its path does not trigger behind it."""
    slot = fault.about["slot"]
    return case.finding(
        "credit-deadlock",
        fault.at.op.span,
        (),
        cause="never-bound",
        event=slot.event.symbol.name,
        slot=slot.index if slot.event.slots > 1 else None,
        generation=slot.completed,
        path=case.who(fault.at),
        owing=(case.who(fault.at),),
    )
