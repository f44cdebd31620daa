"""What the credit flow of a kernel looks like, for people: tables, counts, sentences (credit-flow, section 7).

Pure: reads the outcome of the analysis, so that command line, page and hover say the same. Must not analyse.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from croqc.flow.moments import ARRIVING, makers_of
from croqc.flow.report import EventFacts, FlowFinding, KernelFlow, Step, Strength
from croqc.text.span import Span

_ROWS, _HORIZON = 32, 4000  # of a table, and steps of the run that it is made from


@dataclass(frozen=True, slots=True)
class WaitRow:
    """One wait of a path. `waited` is the parity waited for, `after` the mbarrier's once that generation is complete.

    `phase_bit` is the path's own bit after the wait: the parity of its next one.
    `credits`: what is left to it, if it runs as far ahead as it can (see `wait_rows`).
    """

    path: str
    iteration: tuple[tuple[str, int], ...]
    slot: int
    generation: int
    waited: int
    after: int
    phase_bit: int
    credits: int


def initial_credits(flow: KernelFlow, event: EventFacts, path: str = "") -> int:
    """Generations that are complete before any path depends on them: `= ready`, or the bootstrap's. `path`: those alone
    that this one can spend."""
    steps = _shown(flow)
    slots = _slots_of(steps, event, path) if path else range(event.slots)
    return len(slots) if event.ready else sum(slot in slots for slot, _ in _granted(steps, event))


def _slots_of(steps: Sequence[Step], event: EventFacts, path: str) -> Collection[int]:
    """The slots that a path waits on: all, where it has not come to any a second time."""
    waits = Counter(step.slot for step in steps if (step.op, step.event, step.path) == ("wait", event.name, path))
    if max(waits.values(), default=0) < 2:
        return range(event.slots)
    return {slot for slot in waits if slot is not None}


def _shown(flow: KernelFlow) -> Sequence[Step]:
    """The small run, or that of the first finding."""
    return flow.steps or (flow.findings[0].steps if flow.findings else ())


def _granted(steps: Sequence[Step], event: EventFacts) -> frozenset[tuple[int, int]]:
    """(slot, generation) that bootstrap triggers alone complete."""
    made = makers_of(steps, (event,))
    return frozenset(
        (slot, generation)
        for (_, slot, generation), makers in made.items()
        if all(steps[number].op == "bootstrap" for number in makers)
    )


def wait_rows(flow: KernelFlow, event: EventFacts, path: str, limit: int | None = None) -> tuple[WaitRow, ...]:
    """The first waits of a path on an event: two rounds of its slots (32 rows at most) unless `limit` says otherwise.

    Credits are counted independently of the schedule: those given at start, and those whose giving happens before
    the wait in every schedule, less the ones that the path has spent.
    """
    steps = flow.steps[:_HORIZON]
    own = _slots_of(_shown(flow), event, path)
    most = min(2 * len(own), _ROWS) if limit is None else limit
    rows: list[WaitRow] = []
    spent: dict[int, int] = {}
    granted = initial_credits(flow, event, path)
    made = makers_of(steps, (event,))
    at_start = _granted(steps, event)
    before = _ancestors(steps, flow.edges)
    following = _next_slots(steps, event, path)
    for number, step in enumerate(steps):
        if step.op != "wait" or step.event != event.name or step.path != path or step.slot is None:
            continue
        if len(rows) == most:
            break
        generation = spent.get(step.slot, 0)
        spent[step.slot] = generation + 1
        returned = sum(
            slot in own and (slot, turn) not in at_start and all(before[number] >> maker & 1 for maker in makers)
            for (_, slot, turn), makers in made.items()
        )
        rows.append(
            WaitRow(
                path,
                step.iteration,
                step.slot,
                generation,
                waited=generation & 1,
                after=(generation + 1) & 1,
                phase_bit=spent.get(following[number], 0) & 1,
                credits=max(granted + returned - sum(spent.values()), 0),
            )
        )
    return tuple(rows)


def _next_slots(steps: Sequence[Step], event: EventFacts, path: str) -> dict[int, int]:
    """For each wait of a path the slot of its next one; behind the last one that of the ring's next slot."""
    waits = [(at, s.slot) for at, s in enumerate(steps) if (s.op, s.event, s.path) == ("wait", event.name, path)]
    found = {at: slot for (at, _), (_, slot) in pairwise(waits) if slot is not None}
    if waits and waits[-1][1] is not None:
        found[waits[-1][0]] = (waits[-1][1] + 1) % event.slots
    return found


def _ancestors(steps: Sequence[Step], edges: Sequence[tuple[int, int]]) -> list[int]:
    """For each step the set of steps that happen before it in every schedule, as bits."""
    needs: dict[int, list[int]] = {}
    for source, target in edges:
        if source < target < len(steps):
            needs.setdefault(target, []).append(source)
    last: dict[str, int] = {}
    found: list[int] = []
    for number, step in enumerate(steps):
        sources = needs.get(number, [])
        if step.path in last:
            sources = [last[step.path], *sources]
        bits = 0
        for source in sources:
            bits |= found[source] | 1 << source
        found.append(bits)
        if step.op != "land":
            last[step.path] = number
    return found


def waiters(flow: KernelFlow, event: EventFacts) -> tuple[str, ...]:
    """The paths that wait on an event, in the kernel's order."""
    names = {path for path, _ in event.waited_by}
    return tuple(path.name for path in flow.paths if path.name in names)


def givers(event: EventFacts) -> Mapping[str, tuple[Span, ...]]:
    """The steady trigger sites of an event, by path."""
    found: dict[str, tuple[Span, ...]] = {}
    for path, span in event.triggered_by:
        if span not in event.granted_by:
            found[path] = (*found.get(path, ()), span)
    return found


def run_ahead(flow: KernelFlow, path: str) -> tuple[int, str]:
    """How many rounds a path may be ahead of the ones that return its credits, and the event that says so.

    (0, "") for a path that spends no credits given at start.
    """
    bounds = [(initial_credits(flow, event, path), event.name) for event in flow.events if path in waiters(flow, event)]
    return min((bound for bound in bounds if bound[0]), default=(0, ""))


def failing_step(finding: FlowFinding) -> int | None:
    """The number of the step at which a counterexample goes wrong; None where no step stands at its place.

    A wait that is never passed; else the step at the finding's place in an iteration that its story names.
    """
    steps = finding.steps
    here = [at for at, step in enumerate(steps) if _at_place(step, finding.span)]
    if here and finding.rule == "credit-deadlock":
        return here[-1]
    for other in finding.related:
        told = next((at for at in here if steps[at].iteration and _is_named(steps[at], other.message)), None)
        if told is not None:
            return told
    return here[0] if here else None


def _at_place(step: Step, span: Span) -> bool:
    return step.span.start <= span.start <= span.end <= step.span.end or span.start <= step.span.start < span.end


def _is_named(step: Step, message: str) -> bool:
    return all(re.search(rf"\b{re.escape(name)} = {value}\b", message) for name, value in step.iteration)


def verdict_text(flow: KernelFlow) -> str:
    """ "credit flow proved for every K", and the like; of a kernel without events, what was looked at in its place."""
    subject = "credit flow" if flow.events else "no events; copies and buffers"
    match flow.strength:
        case Strength.PROVED:
            sizes = ", ".join(flow.sizes)
            return f"{subject} proved for every {sizes} {flow.tried}".rstrip() if sizes else f"{subject} proved"
        case Strength.CHECKED:
            checked = f"{subject} checked {flow.tried}".rstrip()
            return f"{checked}; not proved: {flow.reason}" if flow.reason else checked
        case Strength.FAILS:
            count = len(flow.findings)
            fails = "fails" if flow.events else "fail"
            return f"{subject} {fails}: {count} finding{'' if count == 1 else 's'}"
        case Strength.UNKNOWN:
            return f"credit flow not analysed: {flow.reason}" if flow.reason else "credit flow not analysed"


def iteration_text(iteration: Sequence[tuple[str, int]]) -> str:
    """ "kk = 4, slot = 0"."""
    return ", ".join(f"{name} = {value}" for name, value in iteration)


def leaves(step: Step) -> bool:
    """Whether a copy goes out: the run has the bytes of those that come in."""
    return step.op in ("copy", "land") and not step.event and step.bytes is None


_SENTENCES = {
    "copy": "{path} starts a copy into {place}",
    "copy out": "{path} copies {place} to global memory",
    "land": "The copy into {place} has landed",
    "land out": "The copy of {place} has arrived in global memory",
    "read": "{path} reads {place}",
    "write": "{path} writes {place}",
    "multiply": "{path} multiplies with {place}",
    "commit": "{path} commits: its multiplies so far have read their operands",
    "wait-future": "{path} waits until its copy has landed",
    "select": "{path} takes the name of {place}",
    "swap": "{path} swaps the names of its buffers",
    "join": "{path} meets the other paths",
}


def step_text(step: Step) -> str:
    """What a step does, in one sentence without its full stop."""
    place = step.buffer or "its buffer"
    if step.buffer and step.slot is not None and not step.event:
        place = f"{step.buffer}[{step.slot}]"
    event = step.event if step.slot is None else f"{step.event}[{step.slot}]"
    if step.op == "wait":
        if step.generation is None:
            return f"{step.path} waits on {event}"
        return f"{step.path} waits on {event} for generation {step.generation}, parity {step.generation & 1}"
    if step.op in ARRIVING:
        start = " to give a credit at start" if step.op == "bootstrap" else ""
        landing = f" and {step.bytes:,} bytes are to land" if step.bytes else ""
        return f"{step.path} arrives on {event}{start}{landing}"
    word = f"{step.op} out" if leaves(step) else step.op
    return _SENTENCES.get(word, "{path}: " + step.op).format(path=step.path, place=place)
