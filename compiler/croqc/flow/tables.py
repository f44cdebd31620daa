"""What the credit flow of a kernel looks like, for people: tables, counts, sentences (credit-flow, section 7).

Pure: reads the outcome of the analysis, so that command line, page and hover say the same. Must not analyse.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
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
    """Generations that are complete before any path depends on them: `= ready`, or the bootstrap's. With a `path` those
    of the slots that it waits on."""
    met = _met(flow, event, path) if path else frozenset(range(event.slots))
    return sum(slot in met for slot, _ in _at_start(_shown(flow), event))


def _at_start(steps: Sequence[Step], event: EventFacts) -> frozenset[tuple[int, int]]:
    """(slot, generation) that are complete at start."""
    ready = frozenset((slot, 0) for slot in range(event.slots)) if event.ready else frozenset()
    return ready or _granted(steps, event)


def _met(flow: KernelFlow, event: EventFacts, path: str) -> frozenset[int]:
    """The slots of an event that a path waits on: those of the small run where it comes round to one, else all that
    it may."""
    waited = [
        step.slot
        for step in _shown(flow)
        if (step.op, step.event, step.path) == ("wait", event.name, path) and step.slot is not None
    ]
    met = frozenset(waited)
    if len(met) < len(waited) or not event.waiting:
        return met
    return met | {slot for slot, names in enumerate(event.waiting) if path in names}


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

    Credits are counted independently of the schedule: of the slots that the path waits on those given at start, and
    those whose giving happens before the wait in every schedule, less the ones that the path has spent.
    """
    steps = flow.steps[:_HORIZON]
    met = _met(flow, event, path)
    most = min(2 * len(met), _ROWS) if limit is None else limit
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
            slot in met and (slot, turn) not in at_start and all(before[number] >> maker & 1 for maker in makers)
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
        at, last = waits[-1]
        again = (found[before] for before, slot in waits[:-1] if slot == last)
        found[at] = next(again, ((last or 0) + 1) % event.slots)
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
    """How many rounds a path may be ahead of the ones that return its credits, and the event that says so: turns of its
    loops, and waits outside them, until one of them needs a credit that comes back.

    (0, "") for a path that spends no credits given at start.
    """
    bounds = {
        event.name: credits
        for event in flow.events
        if path in waiters(flow, event) and (credits := initial_credits(flow, event, path))
    }
    found = _until_a_return(flow, path, bounds)
    return found or min(((credits, name) for name, credits in bounds.items()), default=(0, ""))


def _until_a_return(flow: KernelFlow, path: str, names: Container[str]) -> tuple[int, str] | None:
    """As `run_ahead`, for those of the events; None where the small run ends before."""
    steps = _shown(flow)
    granted = {event.name: _at_start(steps, event) for event in flow.events if event.name in names}
    spent: dict[tuple[str, int | None], int] = {}
    outside: dict[str, int] = {}
    rounds: set[object] = set()
    for step in steps:
        if step.op != "wait" or step.path != path or step.event not in granted:
            continue
        outside[step.event] = outside.get(step.event, 0) + (not step.iteration)
        turn = step.iteration or outside[step.event]
        generation = spent.get((step.event, step.slot), 0)
        if (step.slot, generation) not in granted[step.event]:
            return len(rounds - {turn}), step.event
        spent[step.event, step.slot] = generation + 1
        rounds.add(turn)
    return None


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
    """Whether a copy goes out."""
    return step.op in ("copy", "land") and not step.event and step.leaves


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
    "rotate": "{path} rotates the names of its buffers",
    "join": "{path} meets the other paths",
}


def step_text(step: Step) -> str:
    """What a step does, in one sentence without its full stop."""
    place = step.place or "its buffer"
    event = step.event + step.subscripts
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
