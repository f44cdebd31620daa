"""The edits that order two accesses: a `wait`, a later `trigger`, a commit. Must not word findings.

`here` is the access that came too early, `there` the one that it should have come after.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.refactor.base import Code
from croqc.rules.credit_edits import Edits, declared_ready, granted_by, is_plain, suffix_of
from croqc.rules.credit_sites import (
    Site,
    event_type,
    grants,
    regions_of,
    sites,
    steady,
    triggers,
    waits,
)
from croqc.rules.credit_words import fix
from croqc.rules.flow_places import (
    Seat,
    beside,
    inside,
    node_of,
    region_of,
    seat_of,
    target_of,
    together,
    waits_for,
)
from croqc.rules.role_data import feeds, rival, roles_of, works
from croqc.sema.model import Symbol
from croqc.sema.types import Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Fix
from croqc.text.span import Span

# --- one path --------------------------------------------------------------------------------------


def mend_alone(code: Code, here: Span, there: Span) -> tuple[Fix, ...]:
    """Let a path end its own earlier access: commit the multiply, or wait for the copy that reads the buffer."""
    found = together(code, here, there)
    if found is None:
        return ()
    first, second = found
    multiply, copy = node_of(code, there, ast.Mma), node_of(code, there, ast.Copy)
    future = target_of(code, multiply or copy)
    if future is None:
        if multiply is None or code.model.ends_at_statement:
            return ()
        return fix("Commit the multiplies", (code.after(second.stmt, "mma.commit;"),))
    info = code.model.copies.get(copy) if copy is not None else None
    if copy is not None and (info is None or info.source_storage is not Storage.SHARED):
        return ()
    title, text = f"Wait for '{future.name}' first", f"wait {future.name};"
    late = next((stmt for stmt in first.later if waits_for(code, stmt, [future])), None)
    if late is not None:
        moved = (code.before(first.stmt, text), code.removal(late))
        return fix(title, moved if second.stmt in first.before and code.written(late) else None)
    return fix(title, (code.after(second.stmt, text),))


# --- two paths -------------------------------------------------------------------------------------


def mend_across(code: Code, here: Span, there: Span) -> tuple[Fix, ...]:
    """Trigger later, wait earlier, or wait at all."""
    role, other = region_of(code, here), region_of(code, there)
    if role is None:
        return ()
    if other is not None and other is not role:
        found = _later_trigger(code, role, other, there)
        if found:
            return found
    found = earlier_wait(code, role, other, here) or new_wait(code, role, other)
    return found or earlier_wait(code, role, None, here) or new_wait(code, role)


def _roles(code: Code, kind: type[ast.Wait | ast.Trigger]) -> dict[Symbol, set[ast.InThreads | None]]:
    """The roles that wait for each event, or that trigger it."""
    found: dict[Symbol, set[ast.InThreads | None]] = {}
    for site in sites(code):
        if isinstance(site.stmt, kind):
            found.setdefault(site.event, set()).add(site.region)
    return found


def _later_trigger(code: Code, role: ast.InThreads, other: ast.InThreads, there: Span) -> tuple[Fix, ...]:
    """The other role announces the end of its access before it begins."""
    taken = _roles(code, ast.Wait)
    for site in sites(code):
        event = site.event
        if site.region is not other or not isinstance(site.stmt, ast.Trigger) or role not in taken.get(event, ()):
            continue
        found = beside(code, site.stmt, there)
        if found is None or found[1].stmt in found[0].before or site.stmt.after or site not in steady(code, event):
            continue
        last = next((stmt for stmt in reversed(found[0].later) if works(code, stmt)), None)
        if last is None or not is_plain(code, site.stmt, "trigger") or not code.written(last):
            return ()
        commit = ["mma.commit;"] if _is_open(code, found[0]) else []
        moved = code.after(last, *commit, code.of(site.stmt))
        return fix(f"Trigger '{event.name}' when the work is done", (code.removal(site.stmt), moved))
    return ()


def _is_open(code: Code, seat: Seat) -> bool:
    """Whether multiplies behind the statement are not committed in its block."""
    rest = [node for stmt in seat.later for node in inside(stmt)]
    loads = any(isinstance(node, ast.Mma) and node.form != "scale" for node in rest)
    return loads and not code.model.ends_at_statement and not any(isinstance(node, ast.MmaCommit) for node in rest)


def earlier_wait(code: Code, role: ast.InThreads, other: ast.InThreads | None, here: Span) -> tuple[Fix, ...]:
    """The role waits for the event of the other one (of any other without one), but behind its access."""
    given = _roles(code, ast.Trigger)
    for site in sites(code):
        if site.region is not role or not isinstance(site.stmt, ast.Wait) or len(site.stmt.refs) != 1:
            continue
        givers = given.get(site.event, set()) - {role}
        if not givers or (other not in (None, role) and other not in givers):
            continue
        found = beside(code, site.stmt, here)
        if found is None or found[1].stmt not in found[0].before or not _is_only(code, site):
            continue
        place = next((stmt for stmt in found[0].block.stmts if works(code, stmt)), None)
        if place is None or not code.written(place) or not is_plain(code, site.stmt, "wait"):
            return ()
        moved = code.before(place, code.of(site.stmt))
        return fix(f"Wait for '{site.event.name}' first", (moved, code.removal(site.stmt)))
    return ()


def _is_only(code: Code, site: Site) -> bool:
    """Whether its role waits for the event at one place."""
    return [one.stmt for one in waits(code, site.event) if one.region is site.region] == [site.stmt]


def new_wait(code: Code, role: ast.InThreads, other: ast.InThreads | None = None) -> tuple[Fix, ...]:
    """The role never waits for the one event of its ring that another role triggers for it."""
    missing = list(dict.fromkeys(_unwaited(code, role, other)))
    missing = [event for event in missing if not waits(code, event)] or missing
    if len(missing) != 1:
        return ()
    event = missing[0]
    for site in _partners(code, role, event):
        place = _front(code, site)
        if place is not None:
            wait = f"wait {event.name}{suffix_of(code, site.ref)};"
            start = _start(code, role, event)
            edits = None if start is None else (*start, code.before(place, wait))
            return fix(f"Wait for '{event.name}' first", edits, safe=True)
    return ()


def wait_of_others(code: Code, event: Symbol) -> tuple[Fix, ...]:
    """The one role that should wait for the event, and does not."""
    if waits(code, event):
        return ()
    roles = dict.fromkeys(site.region for site in sites(code) if site.region is not None)
    made = [fixes for role in roles if event in _unwaited(code, role, None) and (fixes := new_wait(code, role))]
    return made[0] if len(made) == 1 else ()


def _start(code: Code, role: ast.InThreads, event: Symbol) -> Edits | None:
    """The credits at start that a role needs which fills slots, unless they are given already."""
    takers = regions_of(triggers(code, event))
    if not any(feeds(code, role, one) for one in takers) or event_type(event).ready or grants(code, event):
        return ()
    if any(rival(code, role, one) for one in roles_of(code) if one is not role):
        return None  # they may take turns, and who begins is not for us to say
    if code.model.dialect == "current":
        return declared_ready(event, code)
    return granted_by(code, event, takers)


def _unwaited(code: Code, role: ast.InThreads, other: ast.InThreads | None) -> Iterator[Symbol]:
    triggered, waited = _roles(code, ast.Trigger), _roles(code, ast.Wait)
    served = {giver for event, takers in waited.items() if role in takers for giver in triggered.get(event, ())}
    for event in code.events:
        given, taken = triggered.get(event, set()), waited.get(event, set())
        if taken and given & served:
            continue  # it waits for them by an event of its own
        if given and role not in given | taken and (other in given if other not in (None, role) else True):
            yield event


def _partners(code: Code, role: ast.InThreads, event: Symbol) -> Iterator[Site]:
    """References of the role to the other events of the ring: the wait names its slot as they do."""
    for site in sites(code):
        if site.region is not role or site.loop is None or event_type(site.event).array != event_type(event).array:
            continue
        if site.stmt in [grant.site.stmt for grant in grants(code, site.event)]:
            continue
        if code.of(site.ref).startswith(site.event.name) and not any(isinstance(n, ast.IncDec) for n in walk(site.ref)):
            yield site


def _front(code: Code, site: Site) -> ast.Node | None:
    """The first statement of the turn that touches a buffer, if the slot is known there."""
    seat = seat_of(code, site.stmt.span)
    place = None if seat is None else next((stmt for stmt in seat.block.stmts if works(code, stmt)), None)
    if place is None or not code.written(place):
        return None
    names = [code.model.uses.get(name) for name in walk(site.ref) if isinstance(name, ast.Name)]
    known = all(symbol is not None and symbol.name_span.start < place.span.start for symbol in names)
    return place if known else None
