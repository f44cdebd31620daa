"""Slips that several credit-flow rules find by their outcome: the wrong event or slot, a doubled or skipped statement.

Each function returns the fix of one kind of slip, or nothing where the text does not show it. Must not word findings.
"""

from __future__ import annotations

from collections import Counter

from croqc.refactor.base import Code
from croqc.rules.credit_edits import given_back, slot_of, suffix_of, unwrapped
from croqc.rules.credit_sites import (
    Loop,
    Site,
    event_type,
    grants,
    partners_of,
    regions_of,
    serves,
    sites,
    steady,
    triggers,
    waits,
)
from croqc.rules.credit_words import fix
from croqc.rules.role_data import fills
from croqc.sema.events import order_of
from croqc.sema.model import Symbol
from croqc.syntax import ast
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit


def wrong_event(code: Code, site: Site) -> tuple[Fix, ...]:
    """A role that waits for what it triggers itself, in a ring of two events: one of the two names is wrong."""
    for region in regions_of(list(sites(code))):
        for event in {one.event for one in sites(code) if one.region is region}:
            mine = [one for one in steady(code, event) if one.region is region]
            awaited = [one for one in waits(code, event) if one.region is region]
            if mine and awaited and _shares_ring(event, site.event):
                return _renamed(code, region, mine, awaited)
    return ()


def _shares_ring(event: Symbol, other: Symbol) -> bool:
    return event is other or event_type(event).array == event_type(other).array


def _renamed(code: Code, region: ast.InThreads, mine: list[Site], awaited: list[Site]) -> tuple[Fix, ...]:
    event = mine[0].event
    others = [one for one in steady(code, event) if one.region is not region]
    if others:
        wanted = [one.event for one in sites(code) if isinstance(one.stmt, ast.Wait) and one.region is not region]
        partner = _partner(event, wanted, [one.event for one in sites(code) if one.region is region and _is_wait(one)])
        return _rename(code, mine, partner, "Trigger")
    if fills(code, region):
        given = [one.event for one in sites(code) if not _is_wait(one) and one.region is not region]
        own = [one.event for one in sites(code) if one.region is region]
        renamed = _rename(code, awaited, _partner(event, given, own), "Wait for")
        if renamed:
            return renamed
    owing = [one for one in partners_of(code, event, region) if not serves(code, one, region, event)]
    made = [given_back(code, event, one) for one in owing]
    moved = tuple(code.removal(one.stmt) for one in mine)
    edits = (*moved, *(edit for each in made for edit in each or ()))
    return fix(f"Trigger '{event.name}' in the role that owes it", edits if made and None not in made else None)


def _is_wait(site: Site) -> bool:
    return isinstance(site.stmt, ast.Wait)


def _partner(event: Symbol, candidates: list[Symbol], taken: list[Symbol]) -> Symbol | None:
    """The one other event of the ring among some, if there is exactly one."""
    alike = [one for one in candidates if event_type(one).array == event_type(event).array]
    found = {one for one in alike if one is not event and one not in taken}
    return found.pop() if len(found) == 1 else None


def _rename(code: Code, found: list[Site], partner: Symbol | None, word: str) -> tuple[Fix, ...]:
    if partner is None or any(not code.of(one.ref).startswith(one.event.name) for one in found):
        return ()
    edits = tuple(Edit(one.ref.span, partner.name + suffix_of(code, one.ref)) for one in found)
    return fix(f"{word} '{partner.name}' instead", edits)


def misdirected(code: Code, site: Site, owing: list[ast.InThreads]) -> tuple[Fix, ...]:
    """Roles that owe an event to one that waits for it trigger another instead, one that is given without them."""
    event = site.event
    awaited = {one.event for one in sites(code) if one.region is site.region and _is_wait(one)}
    alike = {one.event for one in sites(code) if bool(event_type(one.event).array) is bool(event_type(event).array)}
    found = [
        one
        for other in alike - awaited
        for one in steady(code, other)
        if one.region in owing and any(each.region not in owing for each in steady(code, other))
    ]
    return _rename(code, found, event, "Trigger") if found else ()


def wrong_slot(code: Code, site: Site) -> tuple[Fix, ...]:
    """A wait or trigger in a loop that names another slot than the rest of the loop does."""
    users = [one for one in sites(code) if one.loop is not None and _shares_ring(one.event, site.event)]
    edits: list[Edit] = []
    for loop in dict.fromkeys(one.loop for one in users):
        here = [one.ref for one in users if one.loop is loop]
        for ordered in (False, True):
            slots = [slot for ref in here if (slot := slot_of(ref)) and (order_of(ref) is not None) is ordered]
            edits += _as_the_loop_says(code, loop, slots) if loop is not None else ()
    return fix("Name the slot that the turn works on", tuple(edits))


def _as_the_loop_says(code: Code, loop: Loop, slots: list[ast.Expr]) -> list[Edit]:
    """The text that a loop's indices have most, for those of some slots that have another."""
    texts = Counter(code.of(slot) for slot in slots)
    if len(texts) < 2:
        return []
    body = code.of(loop)
    usual = max(texts, key=lambda text: (body.count(f"[{text}]") + body.count(f".at({text}"), texts[text]))
    return [Edit(slot.span, usual) for slot in slots if code.of(slot) != usual and code.of(slot).strip()]


def doubled(code: Code, event: Symbol) -> tuple[Fix, ...]:
    """The second of two equal waits, triggers or credits at start in one block."""
    seen: set[tuple[object, ...]] = set()
    for grant in grants(code, event):
        key: tuple[object, ...] = (code.blocks[grant.whole], code.of(grant.whole))
        if key in seen:
            return fix(f"Leave the second start of '{event.name}' out", (code.removal(grant.whole),))
        seen.add(key)
    first = [grant.site.stmt for grant in grants(code, event)]
    for one in (*waits(code, event), *triggers(code, event)):
        word = "wait for" if _is_wait(one) else "trigger of"
        key = (code.blocks[one.stmt], word, code.of(one.ref))
        if one.stmt in first or len(one.stmt.refs) > 1 or not code.written(one.stmt):
            continue
        if key in seen and _follows(code, one):
            return fix(f"Leave the second {word} '{event.name}' out", (code.removal(one.stmt),))
        seen.add(key)
    return ()


def _follows(code: Code, site: Site) -> bool:
    """Whether only waits and triggers stand between a statement and an equal one in front of it."""
    stmts = code.blocks[site.stmt].stmts
    for stmt in reversed(stmts[: stmts.index(site.stmt)]):
        if not isinstance(stmt, ast.Wait | ast.Trigger):
            return False
        if code.of(stmt) == code.of(site.stmt):
            return True
    return False


def skipped(code: Code, event: Symbol) -> tuple[Fix, ...]:
    """Waits and steady triggers that stand alone under a condition come in every turn."""
    edits: list[Edit] = []
    words = set()
    for site in (*waits(code, event), *steady(code, event)):
        guard = site.inner[-1] if site.inner else None
        if isinstance(guard, ast.If) and guard.then.stmts == (site.stmt,) and (bare := unwrapped(code, guard)):
            edits.append(bare)
            words.add("Wait for" if _is_wait(site) else "Trigger")
    return fix(f"{' and '.join(sorted(words))} '{event.name}' in every turn", tuple(edits))


def slips(code: Code, site: Site) -> tuple[Fix, ...]:
    """The first kind of slip that the text shows."""
    return wrong_event(code, site) or doubled(code, site.event) or wrong_slot(code, site) or skipped(code, site.event)
