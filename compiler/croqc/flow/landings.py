"""Gives every copy of a run its landing, and the arrivals their bytes, as the lowering has them. Must not analyse.

The analysis needs landings only where an event counts them. A reader wants to see all: a copy in a ring lands on
the event that its path triggers next, which counts its bytes though the source calls it synchronous (credit-flow,
section 6); one with a future lands before its wait; any other one before its path goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from croqc.flow.moments import ARRIVING
from croqc.flow.report import KernelFlow, Step

_HORIZON = 2000  # steps within which a copy's wait or trigger is looked for
Edges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Landing:
    """Before (`behind` False) or after which step a copy lands; `trigger` if an event counts it."""

    copy: int
    at: int
    behind: bool
    trigger: int | None = None


def landed(flow: KernelFlow) -> KernelFlow:
    """The same with landings in all its runs."""
    bytes_of = {buffer.name: buffer.slot_bytes for buffer in flow.buffers}
    steps, edges = with_landings(flow.steps, flow.edges, bytes_of)
    findings = tuple(replace(item, steps=with_landings(item.steps, (), bytes_of)[0]) for item in flow.findings)
    return replace(flow, steps=steps, edges=edges, findings=findings)


def with_landings(
    steps: Sequence[Step], edges: Iterable[tuple[int, int]], bytes_of: Mapping[str, int]
) -> tuple[tuple[Step, ...], Edges]:
    """The run with a landing for each copy. `bytes_of`: of one slot of a buffer, for copies that do not say theirs."""
    landings = [_landing(steps, number) for number, step in enumerate(steps) if step.op == "copy"]
    before: dict[int, list[_Landing]] = {}
    behind: dict[int, list[_Landing]] = {}
    for landing in landings:
        (behind if landing.behind else before).setdefault(landing.at, []).append(landing)
    made: list[Step] = []
    numbers: dict[int, int] = {}
    outstanding: dict[tuple[str, int | None], int] = {}
    for number, step in enumerate(steps):
        if step.op == "land":
            continue
        made += [_land(steps[one.copy], None, 0) for one in before.get(number, ())]
        sizes = {one.copy: _size(steps[one.copy], bytes_of) for one in behind.get(number, ()) if one.trigger == number}
        key = (step.event, step.slot)
        if sizes:
            outstanding[key] = outstanding.get(key, 0) + sum(sizes.values())
            step = replace(step, bytes=outstanding[key])
        numbers[number] = len(made)
        made.append(step)
        for one in behind.get(number, ()):
            if one.trigger == number:
                outstanding[key] -= sizes[one.copy]
            made.append(_land(steps[one.copy], step if one.trigger == number else None, outstanding.get(key, 0)))
    kept = tuple((numbers[a], numbers[b]) for a, b in edges if a in numbers and b in numbers)
    return tuple(replace(step, t=number) for number, step in enumerate(made)), kept


def _size(copy: Step, bytes_of: Mapping[str, int]) -> int:
    return copy.bytes or bytes_of.get(copy.buffer, 0)


def _land(copy: Step, trigger: Step | None, left: int) -> Step:
    if trigger is None:
        return replace(copy, op="land", bytes=None)
    return replace(
        copy, op="land", event=trigger.event, slot=trigger.slot, generation=trigger.generation, bytes=left, pending=None
    )


def _landing(steps: Sequence[Step], number: int) -> _Landing:
    copy = steps[number]
    later = list(_until_overwritten(steps, number))
    counted = copy.event or next((steps[at].event for at in later if _lands(steps[at], copy)), "")
    own = [at for at in later if steps[at].path == copy.path and steps[at].op not in ("copy", "land")]
    if counted:
        trigger = next((at for at in own if steps[at].op in ARRIVING and steps[at].event == counted), None)
        return _Landing(number, number if trigger is None else trigger, True, trigger)
    waited = next((at for at in own if steps[at].op == "wait-future" and steps[at].buffer in ("", copy.buffer)), None)
    if waited is not None:
        return _Landing(number, waited, False)
    if own and steps[own[0]].op in ARRIVING:
        return _Landing(number, own[0], True, own[0])
    return _Landing(number, number, True)


def _until_overwritten(steps: Sequence[Step], number: int) -> Iterator[int]:
    """The steps behind a copy until another one writes its slot."""
    copy = steps[number]
    for at in range(number + 1, min(number + _HORIZON, len(steps))):
        if steps[at].op == "copy" and _same(steps[at], copy):
            return
        yield at


def _lands(step: Step, copy: Step) -> bool:
    return step.op == "land" and bool(step.event) and _same(step, copy)


def _same(one: Step, other: Step) -> bool:
    return (one.buffer, one.slot) == (other.buffer, other.slot)
