"""Rule `credit-overrun`: a barrier can be two generations ahead of who waits for it (credit-flow, section 4)."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import counted, only_first
from croqc.rules.credit_sites import Site, carries_data, code_of, event_type, grants, regions_of, site_at, steady
from croqc.rules.credit_slips import slips
from croqc.rules.credit_words import at, fix, slot
from croqc.rules.ring_lengths import short_of_ring
from croqc.rules.start_mends import surplus
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    args = finding.args
    code = code_of(subject)
    site = site_at(code, finding.span)
    fixes = _fixes(code, site, str(args.get("cause"))) if site is not None else ()
    if args.get("cause") == "bootstrap-repeated":
        message = f"the credits at start of '{args['event']}' are given again in every turn of an outer loop{at(args)}"
        return Words(message, "give them once, in the first turn", fixes=fixes)
    generation = args["generation"]
    assert isinstance(generation, int)
    message = (
        f"{args['path']} can complete generation {generation + 1} of {slot(args)}"
        f" before {args['waiter']} has waited for generation {generation}{at(args)}"
    )
    if site is not None and (ring := short_of_ring(code, site)) is not None:
        hint = f"give '{args['event']}' the {ring[1]} slots that its ring has: {ring[0]} are too few"
        return Words(message, hint, fixes=ring[2] or fixes)
    return Words(message, "trigger it once for each wait", fixes=fixes)


def _fixes(code: Code, site: Site, cause: str) -> tuple[Fix, ...]:
    event = site.event
    if cause == "bootstrap-repeated":
        edits: list[Edit] = []
        for grant in grants(code, event):
            guarded = only_first(code, grant)
            if guarded is None:
                return ()
            edits += guarded
        return fix(f"Give '{event.name}' its credits in the first turn only", tuple(edits), safe=True)
    first = grants(code, event)
    if event_type(event).ready and first and code.model.dialect == "current":
        return fix("Leave the triggers at start out", tuple(code.removal(grant.whole) for grant in first))
    if event_type(event).ready and (first or carries_data(code, event)):
        return fix("Leave '= ready' out", _unready(code, site))
    if event_type(event).count is not None and len(regions_of(steady(code, event))) == 1:
        return fix("Leave the count out", counted(code, event, ""))
    return (*slips(code, site), *surplus(code, event))


def _unready(code: Code, site: Site) -> tuple[Edit, ...] | None:
    node = site.event.decl
    if not isinstance(node, ast.EventName):
        return None
    text = code.of(node)
    at_ = text.rfind("=")
    if at_ < 0 or text[at_ + 1 :].strip() != "ready":
        return None
    kept = len(text[:at_].rstrip())
    return (Edit(Span(node.span.start + kept, node.span.end), ""),)


RULE = Rule(
    name="credit-overrun",
    severity=Severity.ERROR,
    summary="A barrier can be two generations ahead of who waits for it.",
    rows=("Q13",),
    render=_render,
)
