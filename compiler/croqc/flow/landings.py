"""Gives every copy of a run its landing, and the arrivals their bytes, as the lowering has them. Must not analyse.

The analysis needs landings only where an event counts them. A reader wants to see all: a copy in a ring lands on
the event that its path triggers next, which counts its bytes though the source calls it synchronous (credit-flow,
section 6); one with a future lands before its wait; any other one before its path goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from croqc.flow.moments import ARRIVING
from croqc.flow.report import KernelFlow, Step
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.record import replace
from croqc.text.span import Span

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
    copies = [node for node in walk(flow.kernel.node) if isinstance(node, ast.Copy)]
    futures = frozenset(node.span for node in copies if (node.is_async or node.old_async) and node.event is None)
    steps, edges = with_landings(flow.steps, flow.edges, futures)
    findings = tuple(replace(item, steps=with_landings(item.steps, (), futures)[0]) for item in flow.findings)
    return replace(flow, steps=steps, edges=edges, findings=findings)


def with_landings(
    steps: Sequence[Step], edges: Iterable[tuple[int, int]], futures: Collection[Span] = ()
) -> tuple[tuple[Step, ...], Edges]:
    """The run with a landing for each copy. `futures`: the places of copies whose future is waited for."""
    waits = _waits(steps, futures)
    before: dict[int, list[_Landing]] = {}
    behind: dict[int, list[_Landing]] = {}
    for number, step in enumerate(steps):
        if step.op == "copy":
            landing = _landing(steps, number, waits)
            (behind if landing.behind else before).setdefault(landing.at, []).append(landing)
    made: list[Step] = []
    numbers: dict[int, int] = {}
    outstanding: dict[tuple[str, int | None], int] = {}
    for number, step in enumerate(steps):
        if step.op == "land":
            continue
        made += [_land(steps[one.copy], None, 0) for one in before.get(number, ())]
        key, sizes = (step.event, step.slot), {}
        for one in behind.get(number, ()):
            if one.trigger == number:
                sizes[one.copy] = steps[one.copy].bytes or 0
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


def _land(copy: Step, trigger: Step | None, left: int) -> Step:
    if trigger is None:
        return replace(copy, op="land", fills=(), reads=())
    counted = {"event": trigger.event, "slot": trigger.slot, "shape": trigger.shape}
    counted |= {"generation": trigger.generation, "bytes": left, "landed": copy.place}
    return replace(copy, op="land", fills=(), reads=(), **counted)


def _waits(steps: Sequence[Step], futures: Collection[Span]) -> dict[int, int | None]:
    """The wait of each copy with a future: the one that names its buffer, else in the order of the copies."""
    found: dict[int, int | None] = {}
    flying: dict[str, list[int]] = {}
    for number, step in enumerate(steps):
        if step.op == "copy" and step.span in futures:
            flying.setdefault(step.path, []).append(number)
            found[number] = None
        elif step.op == "wait-future" and flying.get(step.path):
            own = flying[step.path]
            copy = next((one for one in own if steps[one].buffer == step.buffer), own[0])
            found[copy] = number
            own.remove(copy)
    return found


def _landing(steps: Sequence[Step], number: int, waits: Mapping[int, int | None]) -> _Landing:
    copy = steps[number]
    later = list(_until_overwritten(steps, number))
    counted = copy.event or next((steps[at].event for at in later if _lands(steps[at], copy)), "")
    own = [at for at in later if steps[at].path == copy.path and steps[at].op not in ("copy", "land")]
    if counted:
        trigger = next((at for at in own if steps[at].op in ARRIVING and steps[at].event == counted), None)
        return _Landing(number, number if trigger is None else trigger, True, trigger)
    if number in waits:
        waited = waits[number]
        return _Landing(number, len(steps) - 1, True) if waited is None else _Landing(number, waited, False)
    if copy.bytes and own and steps[own[0]].op in ARRIVING:
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
    fills = not copy.leaves and step.buffer == copy.buffer and copy.slot in (None, step.slot)
    return step.op == "land" and bool(step.event) and fills


def _same(one: Step, other: Step) -> bool:
    return (one.buffer, one.slot, one.leaves) == (other.buffer, other.slot, other.leaves)
