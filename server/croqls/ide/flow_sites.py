"""Which places of a kernel belong together by its credit flow, read from the report of the analysis.

A `wait` and the triggers that complete its generations, a copy and what reads its data before the next filling. Spans
are relative to the function. Must not analyse or know LSP types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from croqc.flow.moments import ARRIVING
from croqc.flow.report import EventFacts, KernelFlow, Step
from croqc.text.span import Span


def steps_of(flow: KernelFlow) -> Sequence[Step]:
    """The small run that explains the kernel, or that of its first finding."""
    return flow.steps or (flow.findings[0].steps if flow.findings else ())


def triggers_of(flow: KernelFlow, event: EventFacts, wait: Span) -> tuple[Span, ...]:
    """The triggers that give what a wait takes: those of a slot that both reach; without a run those of the event."""
    slots = _slots(flow, event, wait, ("wait",))
    given = [span for _, span in event.triggered_by] + list(event.granted_by)
    found = (span for span in given if not slots or slots & _slots(flow, event, span, ARRIVING))
    return tuple(sorted(set(found)))


def waits_of(flow: KernelFlow, event: EventFacts, trigger: Span) -> tuple[Span, ...]:
    """The waits that take what a trigger gives."""
    slots = _slots(flow, event, trigger, ARRIVING)
    waits = [span for _, span in event.waited_by]
    found = (span for span in waits if not slots or slots & _slots(flow, event, span, ("wait",)))
    return tuple(sorted(set(found)))


def _slots(flow: KernelFlow, event: EventFacts, site: Span, ops: Sequence[str]) -> set[int | None]:
    """The slots that a site reaches in the run; a step's place is the statement or its operand."""
    return {
        step.slot
        for step in steps_of(flow)
        if step.op in ops and step.event == event.name and (_inside(site, step.span) or _inside(step.span, site))
    }


def _inside(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def consumers_of(flow: KernelFlow, copy: Span) -> tuple[Span, ...]:
    """What reads the data of a copy, before its buffer is filled again."""
    return tuple(sorted({step.span for step in _readers(steps_of(flow), copy)}))


def _readers(steps: Sequence[Step], copy: Span) -> Iterator[Step]:
    for number, step in enumerate(steps):
        if step.op != "copy" or not _inside(step.span, copy):
            continue
        left = set(step.fills)
        for later in steps[number + 1 :]:
            if left.intersection(later.reads):
                yield later
            if not _same_turn(step, later):
                left.difference_update(later.fills)
            if not left:
                break


def _same_turn(one: Step, other: Step) -> bool:
    """Two copies of one turn fill parts of one tile."""
    return one.path == other.path and one.iteration == other.iteration


def producers_of(flow: KernelFlow, reader: Span) -> tuple[Span, ...]:
    """The copies whose data a statement reads."""
    copies = {step.span for step in steps_of(flow) if step.op == "copy"}
    return tuple(sorted(copy for copy in copies if any(_inside(one, reader) for one in consumers_of(flow, copy))))
