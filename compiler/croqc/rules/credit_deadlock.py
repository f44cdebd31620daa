"""Rule `credit-deadlock`: a path waits for a credit that never comes (credit-flow, section 4)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words, listed
from croqc.rules.credit_edits import (
    counts_agree,
    declared_ready,
    given_back,
    granted_by,
    is_plain,
    suffix_of,
)
from croqc.rules.credit_sites import (
    Site,
    carries_data,
    code_of,
    event_type,
    grants,
    is_ring,
    partners_of,
    regions_of,
    serves,
    site_at,
    triggers,
    waits,
)
from croqc.rules.credit_slips import misdirected, slips, wrong_event
from croqc.rules.credit_turns import counted_apart
from croqc.rules.credit_words import Args, fix, slot, where
from croqc.rules.rewrites import node_at
from croqc.rules.role_data import feeds, fills
from croqc.rules.start_mends import hurried, lengthened
from croqc.sema.model import Finding, Symbol
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Related, Severity
from croqc.text.edits import Edit
from croqc.text.record import replace

_HINTS = {
    "never-triggered": "trigger it where its work is done",
    "never-bound": "trigger the slot that the copy names, behind the copy",
    "bootstrap-missing": "give every slot a credit before the first turn",
    "bootstrap-short": "give every slot of the ring a credit at start",
    "bootstrap-late": "give the credits before anything is waited for",
    "not-returned": "trigger it again when the work on the slot is done",
    "ended": "let it be triggered as often as it is waited for",
    "circular": "let it be triggered in every turn, and before the wait that depends on it",
    "barrier": "let every thread reach the barrier",
}


def _message(args: Args) -> str:
    path, generation, owing = args["path"], args.get("generation"), args.get("owing")
    if owing == (path,) and args["cause"] != "never-bound":
        return f"{path} waits for {slot(args)}, which only it could trigger{where(args)}"
    others = listed(owing, " and ") if owing else "the others"
    match args["cause"]:
        case "never-triggered":
            return f"{path} waits for {slot(args)}, which nothing triggers"
        case "never-bound":
            return f"the copy never completes: {path} does not trigger {slot(args)} behind it"
        case "bootstrap-missing":
            return f"{path} waits for {slot(args)}, but nobody gives it a credit at start{where(args)}"
        case "bootstrap-short":
            return f"{path} waits for {slot(args)}, a slot that gets no credit at start{where(args)}"
        case "bootstrap-late":
            return f"{path} waits for {slot(args)}, whose first credit comes too late{where(args)}"
        case "not-returned":
            return f"{path} waits for {slot(args)} again, but nobody gives it back{where(args)}"
        case "barrier":
            return f"{path} stands at a barrier that other threads never reach"
        case "ended":
            whole = f"{path} waits for generation {generation} of {slot(args)}"
            return f"{whole}, but {others} {_has_ended(owing)}{where(args)}"
        case _:
            return f"{path} waits for generation {generation} of {slot(args)}, which {others} owes{where(args)}"


def _has_ended(owing: object) -> str:
    return "have ended" if isinstance(owing, tuple) and len(owing) > 1 else "has ended"


def _render(finding: Finding, subject: Subject) -> Words:
    cause = str(finding.args["cause"])
    hint = _HINTS.get(cause, "")
    related: tuple[Related, ...] = ()
    if cause == "ended" and (related := counted_apart(code_of(subject), finding.span)):
        hint = "each role counts its turns itself: let both count alike"
    return Words(_message(finding.args), hint, related, _fixes(finding, subject, cause))


def _fixes(finding: Finding, subject: Subject, cause: str) -> tuple[Fix, ...]:
    code = code_of(subject)
    if cause == "never-bound":
        return _bind(code, subject, finding)
    site = site_at(code, finding.span)
    if site is None:
        return ()
    if finding.args.get("owing") == (finding.args["path"],):
        others = [one for one in waits(code, site.event) if one.region is not site.region]
        alone = bool(others) and len(site.stmt.refs) == 1 and code.written(site.stmt)
        return wrong_event(code, site) or fix("Leave this wait out", (code.removal(site.stmt),) if alone else None)
    match cause:
        case "bootstrap-missing":
            return _start(code, site)
        case "bootstrap-short":
            return lengthened(code, site.event)
        case "bootstrap-late":
            return hurried(code, site.event)
        case "not-returned":
            regions = regions_of([grant.site for grant in grants(code, site.event)])
            return _give(code, site.event, regions or _owing(code, site)[0])
        case "never-triggered":
            space, data = _owing(code, site)
            instead = misdirected(code, site, space or data)
            supplied = [replace(one, safe=False) if instead else one for one in _supply(code, site)]
            return slips(code, site) or (*instead, *supplied)
    return slips(code, site)


# --- credits at start ------------------------------------------------------------------------------


def _start(code: Code, site: Site) -> tuple[Fix, ...]:
    """Bootstrap loops in the roles that give the event back, or `= ready`, as the file's dialect has it."""
    event, regions = site.event, regions_of(triggers(code, site.event))
    if site.region is None or carries_data(code, event):
        return slips(code, site)
    safe = fills(code, site.region) and is_ring(code, site, regions)
    ready = fix(f"Declare '{event.name}' as ready", declared_ready(event, code), safe)
    if code.model.dialect == "current" or not counts_agree(code, event, regions):
        return ready
    return fix(f"Give '{event.name}' its credits at start", granted_by(code, event, regions), safe)


# --- triggers --------------------------------------------------------------------------------------


def _give(code: Code, event: Symbol, regions: list[ast.InThreads]) -> tuple[Fix, ...]:
    """Safe where one role alone owes it: behind its last statement, nothing of the turn is left to be done."""
    made = [given_back(code, event, region) for region in regions]
    edits = tuple(edit for each in made for edit in each or ())
    title = f"Trigger '{event.name}' at the end of each turn"
    return fix(title, edits if None not in made else None, safe=len(regions) == 1)


def _owing(code: Code, site: Site) -> tuple[list[ast.InThreads], list[ast.InThreads]]:
    """The other roles of a ring that give the waiting one nothing yet: who takes its data, and whose data it takes."""
    role = site.region
    if role is None:
        return [], []
    others = [one for one in partners_of(code, site.event, role) if not serves(code, one, role, site.event)]
    return [one for one in others if feeds(code, role, one)], [one for one in others if feeds(code, one, role)]


def _supply(code: Code, site: Site) -> tuple[Fix, ...]:
    """Trigger an event that nothing triggers: data in the roles that load it, space in those that use it."""
    space, data = _owing(code, site)
    if bool(space) is bool(data):
        return ()
    regions = space or data
    found = _give(code, site.event, regions)
    if data or not found or event_type(site.event).ready:
        return found
    current = code.model.dialect == "current"
    first = declared_ready(site.event, code) if current else granted_by(code, site.event, regions)
    title = f"Give '{site.event.name}' credits at start and at the end of each turn"
    return fix(title, None if first is None else (*first, *found[0].edits))


def _bind(code: Code, subject: Subject, finding: Finding) -> tuple[Fix, ...]:
    """`tma.copy.async<e[s]>` without a trigger of `e[s]` behind it."""
    copy = node_at(subject, finding.span, ast.Copy)
    if copy is None or copy.event is None or not is_plain(code, copy, r"\w+\s*[.=]|tma|dma"):
        return ()
    event, wanted = code.event_of(copy.event), suffix_of(code, copy.event)
    if event is None:
        return ()
    block = code.blocks[copy].stmts
    later = block[block.index(copy) :]
    for stmt in later:
        if isinstance(stmt, ast.Trigger) and len(stmt.refs) == 1 and code.event_of(stmt.refs[0]) is event:
            title = f"Trigger '{event.name}{wanted}'"
            return fix(title, (Edit(stmt.refs[0].span, event.name + wanted),))
    last = copy
    for stmt in later:
        if isinstance(stmt, ast.Copy) and stmt.event is not None and code.of(stmt.event) == code.of(copy.event):
            last = stmt
    return fix(f"Trigger '{event.name}{wanted}' behind it", (code.after(last, f"trigger {event.name}{wanted};"),))


RULE = Rule(
    name="credit-deadlock",
    severity=Severity.ERROR,
    summary="A path waits for a credit that never comes.",
    rows=("Q11", "Q13"),
    render=_render,
)
