"""Two accesses that nothing orders, and barriers that run ahead of who waits (credit-flow, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from croqc.flow.explain import iteration_text, rows_of, slot_text, stage_slot
from croqc.flow.ops_data import Copy
from croqc.flow.ops_events import Trigger
from croqc.flow.ops_multiplies import Multiply
from croqc.flow.program import Op
from croqc.flow.report import FlowFinding
from croqc.flow.state import Access, EventSlot, Fault, Place
from croqc.flow.verdicts.case import Case
from croqc.flow.verdicts.deadlock import disagreement
from croqc.flow.verdicts.gaps import part_text
from croqc.sema.types import data_of
from croqc.text.diagnostics import Related


def judge_order(case: Case) -> FlowFinding | None:
    """`order-out-of-step`, unwritten reads, races, overruns and mixed generations: the one that explains the rest."""
    faults = list(case.machine.faults.values())
    for fault in faults:
        if fault.kind == "order":
            return _order(case, fault)
    races = [fault for fault in faults if fault.kind == "race"]
    overruns = [fault for fault in faults if fault.kind == "overrun"]
    unwritten = next((fault for fault in faults if fault.kind == "unwritten"), None)
    if unwritten is not None and not any(_is_unread(race) for race in races):
        return _unwritten(case, unwritten)
    if races:
        return _race(case, races, overruns)
    mixed = next((fault for fault in faults if fault.kind == "mixup"), None)
    if mixed is not None and (found := disagreement(case, mixed.about["slot"])) is not None:
        return found
    if overruns:
        return _overrun(case, overruns[0])
    return None if mixed is None else _mixup(case, mixed)


def _is_unread(race: Fault) -> bool:
    """A race of the first read with the first write: the read came too early."""
    first, second = race.about["first"], race.about["second"]
    return not first.write and first.round == 0 and second.round == 0


# --- orders and parities ---------------------------------------------------------------------------


def _order(case: Case, fault: Fault) -> FlowFinding:
    slot: EventSlot = fault.about["slot"]
    own = fault.about["own"]
    said = {key: fault.about[key] for key in ("order", "phase") if key in fault.about}
    what = "wait" if fault.about["waits"] else "trigger"
    return case.finding(
        "order-out-of-step",
        _ref_span(fault.at.op, slot),
        [case.related(f"{what} number {own} of {case.who(fault.at)} on {slot_text(slot)}", fault.at)],
        event=slot.event.symbol.name,
        slot=slot.index,
        path=case.who(fault.at),
        what=what,
        own=own,
        slots=slot.event.slots,
        iteration=iteration_text(fault.at.op, fault.at.env),
        **said,
    )


def _ref_span(op: Op, slot: EventSlot) -> Any:
    if isinstance(op, Trigger):
        return next((ref.span for ref in op.refs if ref.event is slot.event), op.span)
    return op.span


def _overrun(case: Case, fault: Fault) -> FlowFinding:
    slot: EventSlot = fault.about["slot"]
    waiter = fault.other
    assert waiter is not None
    generation = fault.about["generation"]
    text = f"{case.who(waiter)} waits here for generation {generation} of {slot_text(slot)}"
    surplus = _repeated_grant(case, slot)
    return case.finding(
        "credit-overrun",
        fault.at.op.span if surplus is None else surplus.span,
        [
            case.related(text, waiter),
            case.related(f"generation {generation + 1} can be complete before that wait", fault.at),
        ],
        event=slot.event.symbol.name,
        slot=slot.index if slot.event.slots > 1 else None,
        generation=generation,
        path=case.who(fault.at),
        waiter=case.who(waiter),
        cause="bootstrap-repeated" if surplus is not None else "surplus",
        iteration=iteration_text(fault.at.op, fault.at.env),
    )


def _repeated_grant(case: Case, slot: EventSlot) -> Trigger | None:
    """A credit at start that comes again with every turn of a loop in which its role works."""
    for op in case.sites.triggers(slot.event):
        around = [loop for loop in op.loops if case.sites.works(loop, op.role)]
        if not around or not case.sites.is_grant(op):
            continue
        for path in case.machine.paths:
            turns = {tuple(env[loop.var] for loop in around) for other, env, _ in path.trail.values() if other is op}
            if len(turns) > 1:
                return op
    return None


def _mixup(case: Case, fault: Fault) -> FlowFinding:
    slot: EventSlot = fault.about["slot"]
    generation, late = fault.about["generation"], fault.about["who"]
    sites = [op for op in case.sites.triggers(slot.event) if late in case.sites.reach[id(op)]]
    other = case.name(late, sites[0] if sites else fault.at.op)
    return case.finding(
        "generation-mixup",
        fault.at.op.span,
        [
            case.related(f"{case.who(fault.at)} arrives for generation {generation}", fault.at),
            *(
                Related(f"{case.name(late, op)} may still be due for generation {generation - 1}", op.span)
                for op in sites
                if op is not fault.at.op
            ),
        ],
        event=slot.event.symbol.name,
        slot=slot.index if slot.event.slots > 1 else None,
        generation=generation,
        path=case.who(fault.at),
        other=other,
    )


def _unwritten(case: Case, fault: Fault) -> FlowFinding:
    name, slot, _ = stage_slot(case.program, fault.about["slot"])
    part = _rows_text(case, name, fault.about["slot"])
    read = f"{case.who(fault.at)} reads {part or repr(name)} before anything was written"
    return case.finding(
        "unwritten-read",
        fault.about["operand"].spelled,
        [case.related(read, fault.at, None if part else slot)],
        buffer=name,
        slot=slot,
        place=part,
        path=case.who(fault.at),
        iteration=iteration_text(fault.at.op, fault.at.env),
    )


def _rows_text(case: Case, name: str, slot: int) -> str:
    """ "elements 500 to 503 of 'o'", "rows 64 to 127 of 'ring'" of a buffer that is no array; else nothing."""
    stage = next((one for one in case.program.stages if one.symbol.name == name), None)
    whole = rows_of(case.program, slot)
    data = None if stage is None else data_of(stage.symbol.type)
    if whole is None or stage is None or stage.rows is None or data is None:
        return ""
    first, rows = whole
    rest = [(0, 1)] * (len(data.shape) - 1)
    return f"{part_text(((first, first + stage.rows), *rest), (rows, *[1] * len(rest)))} of '{name}'"


# --- races -----------------------------------------------------------------------------------------


def _race(case: Case, races: list[Fault], overruns: list[Fault]) -> FlowFinding:
    for race in races:
        found = _released(case, race)
        if found is not None:
            return found
    late = _unprotected(races[0])
    for overrun in overruns:
        if overrun.other is not None and overrun.other.path == late:
            return _overrun(case, overrun)
    return _stage_race(case, races[0])


def _released(case: Case, race: Fault) -> FlowFinding | None:
    """Whether the first access was still going on when its path gave the slot away."""
    first: Access = race.about["first"]
    known = race.about["known"]
    path = case.path(first.path)
    given = path.trail.get(known)
    if given is None or known < first.begin or first.end <= known or first.path == race.about["second"].path:
        return None
    if first.index != first.path:
        return None  # bound to a generation: the wrong one was waited for
    trigger, env, slot = given
    in_flight = isinstance(first.op, Copy) and first.write
    if not in_flight and not isinstance(first.op, Multiply):
        return None
    rule = "early-publish" if in_flight else "uncommitted-release"
    name, number, _ = stage_slot(case.program, first.slot)
    second = Place(race.about["second"].path, race.about["second"].op, race.about["second"].env)
    what = "the copy is still in flight" if in_flight else "the multiply still reads"
    return case.finding(
        rule,
        trigger.span,
        [
            case.related(f"{what} '{name}'", Place(first.path, first.op, first.env), number),
            case.related(f"{case.who(second)} {_verb(race.about['second'])} it", second, number),
        ],
        buffer=name,
        slot=number,
        path=case.who(first),
        other=case.who(second),
        event=slot.event.symbol.name if slot is not None else "",
        iteration=iteration_text(trigger, env),
    )


def _unprotected(race: Fault) -> int:
    """The path that should have waited: the reader of data that is too new, else the writer."""
    first, second = race.about["first"], race.about["second"]
    if first.write and second.write:
        return int(second.path)
    write, read = (first, second) if first.write else (second, first)
    return int(read.path if write.round <= read.round else write.path)


def _stage_race(case: Case, race: Fault) -> FlowFinding:
    first, second = race.about["first"], race.about["second"]
    late = _unprotected(race)
    access, other = (first, second) if late == first.path and first.path != second.path else (second, first)
    name, slot, _ = stage_slot(case.program, access.slot)
    here, there = (Place(each.path, each.op, each.env) for each in (access, other))
    return case.finding(
        "stage-race",
        access.op.span if access.op.span.length else access.operand.span,
        tuple(_missing(case, access, other, here, there, slot)),
        buffer=name,
        slot=slot,
        path=case.who(access),
        other=case.who(other),
        access="write" if access.write else "read",
        against="write" if other.write else "read",
        iteration=iteration_text(access.op, access.env),
        other_iteration=iteration_text(other.op, other.env),
        same=access.path == other.path,
    )


def _missing(
    case: Case, access: Access, other: Access, here: Place, there: Place, slot: int | None
) -> Iterator[Related]:
    yield case.related(f"{case.who(access)} {_verb(access)} it here", here, slot)
    yield case.related(f"{case.who(other)} {_verb(other)} it here", there, slot)
    if access.path == other.path:
        yield Related("nothing waits for the end of this one before", other.op.span)
    else:
        text = f"no wait of {case.who(access)} comes between: {case.who(other)} may be before or behind"
        yield Related(text, access.op.span)


def _verb(access: Access) -> str:
    return "writes" if access.write else "reads"
