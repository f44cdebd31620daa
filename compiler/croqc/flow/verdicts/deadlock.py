"""Runs in which somebody stands still for ever: which wait is at fault, and who owes it (credit-flow, section 4).

What would have helped is tried out: a credit at start, one arrival a generation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from croqc.flow.explain import iteration_text, slot_text, waited_slot
from croqc.flow.exprs import UndecidedError, closure
from croqc.flow.machine import Supposed
from croqc.flow.ops_control import Bar, End, Meet
from croqc.flow.ops_events import Trigger
from croqc.flow.program import Loop, Op
from croqc.flow.report import FlowFinding
from croqc.flow.state import EventSlot, PathState
from croqc.flow.verdicts.case import Case
from croqc.text.diagnostics import Related
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class Standing:
    """A path that stands at a wait for `generation` of a slot. `owing`: the paths that could give it."""

    path: PathState
    op: Op
    slot: EventSlot
    generation: int
    owing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Turns:
    """How many turns of the loop around a step a path makes when nothing stops it."""

    path: int
    op: Op
    loop: Loop
    count: int


def standing(case: Case) -> list[Standing]:
    found = []
    for path in case.machine.stuck():
        waited = waited_slot(path)
        if waited is None or path.blocked is None:
            continue
        slot, generation = waited
        arrivals = case.counts_of(slot)
        owing = () if arrivals is None else tuple(sorted(arrivals.steady | arrivals.bootstrap))
        found.append(Standing(path, path.blocked[0], slot, generation, owing))
    return found


def judge_deadlock(case: Case) -> FlowFinding | None:
    waits = standing(case)
    if not waits:
        return _barrier(case)
    never = next((one for one in waits if not one.slot.count), None)
    if never is not None:
        return _told(case, never, "never-triggered")
    return _counted(case, waits) or _turns(case, waits) or _credit(case, waits) or _owed(case, waits)


# --- kinds -----------------------------------------------------------------------------------------


def _counted(case: Case, waits: list[Standing]) -> FlowFinding | None:
    """Sites that disagree on how many paths arrive, and counts that nobody can reach (section 2)."""
    for one in waits:
        found = disagreement(case, one.slot)
        if found is not None:
            return found
    for one in waits:
        if one.slot.count > 1 and case.is_clean(Supposed(counts={one.slot.event.number: 1})):
            site, why = _miscounted(case, one)
            return case.finding(
                "arrival-count-mismatch",
                site.span,
                [_wait_related(case, one)],
                event=one.slot.event.symbol.name,
                expected=one.slot.count,
                found=1,
                why=why,
                propose="event<1>",
            )
    return None


def _miscounted(case: Case, one: Standing) -> tuple[Trigger, str]:
    """The trigger because of which more arrivals are counted than come: a credit at start that the own block alone
    gives, where later on all of the cluster do; one that a path gives itself; else producers take turns."""
    triggers = case.sites.triggers(one.slot.event)
    narrow = [op for op in triggers if op.blocks == 1 and not case.sites.is_steady(op)]
    if narrow and any(op.blocks > 1 for op in triggers):
        return narrow[0], "cluster"
    waiting = [case.sites.reach[id(op)] for op in case.sites.waits(one.slot.event)]
    own = [op for op in triggers if case.sites.reach[id(op)] in waiting]
    return (own[0], "own") if own and len(own) < len(triggers) else (triggers[0], "turns")


def disagreement(case: Case, slot: EventSlot) -> FlowFinding | None:
    """`event<n>` with more than there are; a bootstrap by fewer or more paths than the steady triggers."""
    arrivals = case.counts_of(slot)
    if arrivals is None:
        return None
    name = slot.event.symbol.name
    if arrivals.written is not None and arrivals.count > arrivals.computed:
        return case.finding(
            "arrival-count-mismatch",
            slot.event.span,
            [Related("arrives here", op.span) for op in case.sites.triggers(slot.event)],
            event=name,
            expected=arrivals.count,
            found=arrivals.computed,
            why="written",
        )
    boot, steady = len(arrivals.bootstrap), len(arrivals.steady)
    if not boot or not steady or boot == steady or slot.event.ready:
        return None
    sites = [op for op in case.sites.triggers(slot.event) if not case.sites.is_steady(op)]
    others = [op for op in case.sites.triggers(slot.event) if case.sites.is_steady(op)]
    places, counted, paths = (others, sites, boot) if boot > steady and others else (sites or others, others, steady)
    text = f"{paths} paths arrive here" if paths > 1 else "one path arrives here"
    return case.finding(
        "arrival-count-mismatch",
        places[0].span,
        [Related(text, op.span) for op in counted],
        event=name,
        expected=max(boot, steady),
        found=min(boot, steady),
        why="bootstrap",
    )


def _turns(case: Case, waits: list[Standing]) -> FlowFinding | None:
    """Roles whose loops over one ring make different numbers of turns."""
    for one in waits:
        found = unequal_turns(case, one.op, one.path.number, one.slot, one.owing)
        if found is not None and _falls_short(case, one, *found):
            return turns_finding(case, one.slot, *found, deadlock=True, related=[_wait_related(case, one)])
    return None


def _falls_short(case: Case, one: Standing, shorter: Turns, longer: Turns) -> bool:
    """Whether what the shorter loop gives, with the credits at start, is less than the wait of the longer one takes. In
    a loop around both the credits are there once and the turns come again."""
    credits = one.slot.event.slots if case.sites.is_granted(one.slot.event) and not longer.loop.outer else 0
    return longer.path == one.path.number and shorter.count + credits < longer.count


def turns_finding(
    case: Case, slot: EventSlot, shorter: Turns, longer: Turns, deadlock: bool, related: list[Related]
) -> FlowFinding:
    name = case.name(longer.path, longer.op)
    text = f"{name} makes {longer.count} turn{'s' if longer.count != 1 else ''} here"
    return case.finding(
        "trip-count-mismatch",
        shorter.loop.span,
        [Related(text, longer.loop.span), *related],
        event=slot.event.symbol.name,
        short=case.name(shorter.path, shorter.op),
        long=name,
        fewer=shorter.count,
        more=longer.count,
        deadlock=deadlock,
    )


def unequal_turns(
    case: Case, op: Op, number: int, slot: EventSlot, owing: tuple[int, ...]
) -> tuple[Turns, Turns] | None:
    """The loop in which a wait stands against that of a steady trigger of a path that is through with it: the shorter
    one first."""
    for own in reversed(op.loops):
        wanted = _planned(case, number, own)
        if wanted is None:
            continue
        for other in owing:
            if other < 0 or other == number:
                continue
            for trigger in case.sites.triggers(slot.event):
                if other not in case.sites.reach[id(trigger)] or not trigger.loops or case.sites.is_grant(trigger):
                    continue
                theirs = trigger.loops[-1] if own not in trigger.loops else None
                given = None if theirs is None else _planned(case, other, theirs)
                if (
                    theirs is None
                    or given is None
                    or given == wanted
                    or not _turn_together(case, number, own, other, theirs)
                ):
                    continue
                mine, others = Turns(number, op, own, wanted), Turns(other, trigger, theirs, given)
                return (others, mine) if given < wanted else (mine, others)
    return None


def _turn_together(case: Case, number: int, own: Loop, other: int, theirs: Loop) -> bool:
    """Whether the loops around two loops are the same, or turn equally often, as those of tiles in each role."""
    if own.outer == theirs.outer:
        return True
    if len(own.outer) != len(theirs.outer):
        return False
    pairs = zip(own.outer, theirs.outer, strict=True)
    counts = ((_planned(case, number, one), _planned(case, other, two)) for one, two in pairs)
    return all(mine is not None and mine == others for mine, others in counts)


def _planned(case: Case, number: int, loop: Loop) -> int | None:
    """How many turns the loop makes when nothing stops it."""
    env = case.path(number).env
    try:
        low, high, step = closure(loop.low)(env), closure(loop.high)(env), closure(loop.step)(env)
        return len(range(low, high, max(step, 1)))
    except (UndecidedError, TypeError):
        return None


def _credit(case: Case, waits: list[Standing]) -> FlowFinding | None:
    """A wait that a credit at start would have let pass."""
    best: Standing | None = None
    for one in waits:
        event = one.slot.event
        if event.number in case.sites.data and not case.sites.is_granted(event):
            continue  # a credit at start would tell of data that is not there
        dry = frozenset(
            (event.number, slot.index) for slot in one.path.events[event.number].all() if not slot.completed
        )
        if not dry:
            continue
        supposed = Supposed(ready=dry)
        if case.is_clean(supposed):
            given = len(dry) < event.slots
            return _told(case, one, "bootstrap-short" if given else _bootstrap_kind(case, one), slots=len(dry))
        if best is None and event.number not in case.sites.data and case.runs_through(supposed):
            best = one
    return None if best is None else _told(case, best, _bootstrap_kind(case, best))


def _bootstrap_kind(case: Case, one: Standing) -> str:
    """Whether a site outside the steady loop exists, behind something that it should come before. A first credit that
    is a grant by its place, but is not given in this run, is owed like any other."""
    sites = case.sites.triggers(one.slot.event)
    if all(not case.sites.is_steady(op) for op in sites):
        ended = all(case.path(number).idle for number in one.owing if number >= 0)
        return "not-returned" if one.generation else "ended" if ended else "circular"
    return "bootstrap-late" if any(case.sites.is_grant(op) for op in sites) else "bootstrap-missing"


def _owed(case: Case, waits: list[Standing]) -> FlowFinding:
    """Who stands for somebody that will never come, else the first of a circle."""
    stuck = {one.path.number for one in waits}
    for one in waits:
        if one.generation and all(not case.sites.is_steady(op) for op in case.sites.triggers(one.slot.event)):
            return _told(case, one, "not-returned")
    for one in waits:
        if one.owing and not any(number in stuck for number in one.owing):
            return _told(case, one, "ended")
    first = next((one for one in waits if one.slot.event.number not in case.sites.data), waits[0])
    return _told(case, first, "circular")


def _barrier(case: Case) -> FlowFinding | None:
    """Paths that stand at a barrier to which others never come."""
    for path in case.machine.stuck():
        op = path.blocked[0] if path.blocked is not None else None
        if isinstance(op, Bar):
            return case.finding("named-barrier-mismatch", op.span, why="waits", path=case.name(path.number, op))
        if isinstance(op, Meet):
            others = zip(case.setting.paths, case.machine.paths, strict=False)
            missing = [each for one, each in others if each.idle and op.top not in one.apart]
            related = [Related(f"{each.name} ends without coming here", _last_place(case, each)) for each in missing]
            name = case.name(path.number, op)
            return case.finding("credit-deadlock", op.span, related, cause="barrier", path=name, event="")
    return None


def _last_place(case: Case, path: PathState) -> Span:
    reach = case.sites.reach
    for op in case.program.ops:
        if isinstance(op, End) and op.leaves and path.number in reach[id(op)]:
            return op.span
    return case.program.ops[-1].span


# --- the story -------------------------------------------------------------------------------------


def _told(case: Case, one: Standing, cause: str, **more: object) -> FlowFinding:
    slot = one.slot
    return case.finding(
        "credit-deadlock",
        one.op.span,
        tuple(_story(case, one)),
        cause=cause,
        event=slot.event.symbol.name,
        slot=slot.index if slot.event.slots > 1 else None,
        generation=one.generation,
        path=case.name(one.path.number, one.op),
        iteration=iteration_text(one.op, one.path.env),
        owing=tuple(_debtor(case, one, number) for number in one.owing if number >= 0),
        arrived=slot.count - slot.pending,
        count=slot.count,
        **more,
    )


def _debtor(case: Case, one: Standing, number: int) -> str:
    """What a path that owes a credit is called where it would give it; one that owes it to itself, where it waits."""
    site = None if number == one.path.number else _site_of(case, case.sites.triggers(one.slot.event), number)
    return case.name(number, site or one.op)


def _wait_related(case: Case, one: Standing) -> Related:
    where = iteration_text(one.op, one.path.env)
    place = f" ({where})" if where else ""
    name = case.name(one.path.number, one.op)
    return Related(f"{name} waits here for generation {one.generation} of {slot_text(one.slot)}{place}", one.op.span)


def _story(case: Case, one: Standing) -> Iterator[Related]:
    """Who could give the credit and where that path stands, then who it waits for, until somebody comes again."""
    waits = {each.path.number: each for each in standing(case)}
    seen = {one.path.number}
    here: Standing | None = one
    yield _wait_related(case, one)
    while here is not None:
        following: Standing | None = None
        sites = case.sites.triggers(here.slot.event)
        if not sites:
            yield Related(f"no path triggers '{here.slot.event.symbol.name}'", here.slot.event.span)
        for number in here.owing:
            site = _site_of(case, sites, number)
            if site is None or number < 0:
                continue
            name = case.name(number, site)
            yield Related(f"{name} owes it: the trigger is here", site.span)
            other = waits.get(number)
            if other is None:
                if case.path(number).left:
                    yield Related(f"{name} has left the kernel here", _last_place(case, case.path(number)))
                elif case.path(number).idle:
                    yield Related(f"{name} has ended", site.span)
            elif number not in seen:
                seen.add(number)
                following = following or other
                yield _wait_related(case, other)
            elif other is one:
                yield Related(
                    f"{case.name(number, one.op)} stands at the first wait: they wait for each other", one.op.span
                )
        here = following


def _site_of(case: Case, sites: list[Trigger], number: int) -> Trigger | None:
    own = [op for op in sites if number in case.sites.reach[id(op)]]
    steady = [op for op in own if case.sites.is_steady(op)]
    return next(iter(steady or own), None)
