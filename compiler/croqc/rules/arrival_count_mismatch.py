"""Rule `arrival-count-mismatch`: who triggers an event disagrees on how many arrivals there are (credit-flow, 4)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import counted, given_back, granted_by, is_plain, unwrapped
from croqc.rules.credit_sites import Grant, code_of, grants, regions_of, site_at, sites, steady, waits
from croqc.rules.credit_slips import wrong_event
from croqc.rules.credit_words import fix
from croqc.rules.start_mends import hurried, lengthened
from croqc.sema.model import Finding, Symbol
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _paths(count: object, verb: str) -> str:
    return f"{count} path {verb}s" if count == 1 else f"{count} paths {verb}"


def _render(finding: Finding, subject: Subject) -> Words:
    args, code = finding.args, code_of(subject)
    name, expected, found = args["event"], args["expected"], args["found"]
    match args["why"]:
        case "turns":
            message = f"'{name}' counts {expected} arrivals a generation, but its producers take turns: one comes"
            return Words(message, "declare it 'event<1>'", fixes=_take_turns(code, finding))
        case "cluster":
            message = (
                f"'{name}' counts {expected} arrivals a generation, one from each block, but its own alone at start"
            )
            return Words(message, "trigger it with 'trigger.cluster' here, too", fixes=_in_cluster(code, finding))
        case "own":
            message = f"'{name}' counts {expected} arrivals a generation, with that of who waits for it, but one comes"
            return Words(message, "leave this trigger to its producer", fixes=_not_own(code, finding))
        case "written":
            message = f"'{name}' asks for {expected} arrivals a generation, but only {_paths(found, 'trigger')} it"
            return Words(message, "leave the count out", fixes=_uncounted(code, finding))
    if _is_steady(code, finding):
        message = (
            f"{expected} paths give '{name}' its credits at start, but only {_paths(found, 'trigger')} it later on"
        )
        return Words(message, "let the same paths start it and give it back", fixes=_even(code, finding, False))
    message = f"only {_paths(found, 'give')} '{name}' its credits at start, but {expected} paths trigger it later on"
    return Words(message, "let every path that gives it back start it", fixes=_even(code, finding, True))


def _is_steady(code: Code, finding: Finding) -> bool:
    """Whether the place is a trigger in the steady loop, of which there are too few, and no credit at start."""
    site = site_at(code, finding.span)
    return site is not None and any(one.stmt is site.stmt for one in steady(code, site.event))


def _event(code: Code, finding: Finding) -> Symbol | None:
    site = site_at(code, finding.span)
    if site is not None:
        return site.event
    named = [one for one in code.events if one.name == finding.args["event"]]
    return next((one for one in named if one.name_span.start >= finding.span.start), None)


def _take_turns(code: Code, finding: Finding) -> tuple[Fix, ...]:
    event = _event(code, finding)
    site = site_at(code, finding.span)
    slip = wrong_event(code, site) if site is not None else ()
    if slip:
        return slip
    edits = counted(code, event, "<1>") if event is not None else None
    return fix(f"Declare '{finding.args['event']}' as 'event<1>'", edits)


def _in_cluster(code: Code, finding: Finding) -> tuple[Fix, ...]:
    """`trigger empty[i];` at start becomes `trigger.cluster empty[i];`."""
    site = site_at(code, finding.span)
    if site is None:
        return ()
    stmts = dict.fromkeys(grant.site.stmt for grant in grants(code, site.event))
    starts = [stmt.span.start for stmt in stmts if code.of(stmt).split()[0] == "trigger"]
    edits = tuple(Edit(Span(at, at + len("trigger")), "trigger.cluster") for at in starts)
    return fix("Give the credits at start to the cluster", edits if len(edits) == len(stmts) else None)


def _not_own(code: Code, finding: Finding) -> tuple[Fix, ...]:
    """Take out the trigger of a path that waits for the event."""
    site = site_at(code, finding.span)
    if site is None:
        return ()
    guard = site.chain[-1]
    alone = isinstance(guard, ast.If) and guard.then.stmts == (site.stmt,) and guard.other is None
    removed = fix("Leave it to its producer", (code.removal(guard if alone else site.stmt),), safe=False)
    events = {one.event for one in sites(code) if one.region is site.region and isinstance(one.stmt, ast.Trigger)}
    gives = len(events) > 1  # what belongs to the other events of the ring, too: no name is mistaken
    return removed if gives else wrong_event(code, site) or removed


def _uncounted(code: Code, finding: Finding) -> tuple[Fix, ...]:
    event = _event(code, finding)
    safe = finding.args["found"] == 1  # else they may take turns
    return fix("Leave the count out", counted(code, event, "") if event is not None else None, safe)


def _even(code: Code, finding: Finding, more: bool) -> tuple[Fix, ...]:
    """The same paths start an event and give it back."""
    event = _event(code, finding)
    if event is None:
        return ()
    first, later = grants(code, event), steady(code, event)
    starting = regions_of([grant.site for grant in first])
    giving = regions_of(later)
    if more:
        title = f"Let every path that gives '{event.name}' back start it"
        missing = [region for region in giving if region not in starting]
        if missing:
            return fix(title, granted_by(code, event, missing))
        return fix(title, _widened(code, first)) or (*lengthened(code, event), *hurried(code, event))
    title = f"Let every path that starts '{event.name}' give it back"
    missing = [region for region in starting if region not in giving]
    waiting = regions_of(waits(code, event))
    if missing and all(region in waiting for region in missing):
        surplus = tuple(code.removal(grant.whole) for grant in first if grant.site.region in missing)
        return fix("Let only those who give it back start it", surplus)
    made = [given_back(code, event, region) for region in missing]
    if not made:
        return fix(title, _freed(code, [site.stmt for site in later]))
    return fix(title, None if None in made else tuple(edit for each in made for edit in each or ()))


def _widened(code: Code, first: list[Grant]) -> tuple[Edit, ...]:
    """Take the choice of a path out of the conditions that credits at start stand under."""
    return tuple(edit for grant in first for guard in grant.guards for edit in _unchosen(code, guard))


def _freed(code: Code, stmts: list[ast.Wait | ast.Trigger]) -> tuple[Edit, ...]:
    """The same for triggers that stand alone under a condition."""
    found = []
    for stmt in stmts:
        guard = code.around[stmt].chain[-1]
        if isinstance(guard, ast.If) and guard.then.stmts == (stmt,) and guard.other is None:
            found += _unchosen(code, guard)
    return tuple(found)


def _unchosen(code: Code, guard: ast.If) -> list[Edit]:
    """`if (ti == 0 && p == 1) x` becomes `if (ti == 0) x`; `if (p == 1) x` becomes x."""
    if not is_plain(code, guard, "if"):
        return []
    terms = _terms(guard.cond)
    kept = [term for term in terms if not _chooses(code, term)]
    if len(kept) == len(terms):
        return []
    if kept:
        return [Edit(guard.cond.span, " && ".join(code.of(term) for term in kept))]
    bare = unwrapped(code, guard)
    return [] if bare is None else [bare]


def _terms(cond: ast.Node) -> list[ast.Node]:
    match cond:
        case ast.Binary(op="&&", left=left, right=right):
            return [*_terms(left), *_terms(right)]
    return [cond]


def _chooses(code: Code, term: ast.Node) -> bool:
    """Whether a condition is about a parallel index."""
    match term:
        case ast.Paren(inner=inner):
            return _chooses(code, inner)
        case ast.Binary(left=left, right=right):
            symbols = [code.model.uses.get(side) for side in (left, right) if isinstance(side, ast.Name)]
            return any(symbol is not None and symbol.kind.value == "parallel index" for symbol in symbols)
    return False


RULE = Rule(
    name="arrival-count-mismatch",
    severity=Severity.ERROR,
    summary="Those who trigger an event disagree on how many arrivals complete a generation.",
    rows=(),
    render=_render,
)
