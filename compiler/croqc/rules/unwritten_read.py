"""Rule `unwritten-read`: a slot is read before anything was written to it (credit-flow, section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.refactor.base import Code
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.copy_mends import left_out_copy
from croqc.rules.credit_edits import declared_ready
from croqc.rules.credit_sites import code_of, event_type, grants, sites, steady, waits
from croqc.rules.credit_words import Args, at, fix
from croqc.rules.flow_places import region_of
from croqc.rules.flow_words import stage
from croqc.rules.race_mends import earlier_wait, new_wait
from croqc.sema.model import Finding, Symbol
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    code, args = code_of(subject), finding.args
    role = region_of(code, finding.span)
    if "part" in args:
        return _part(args)
    event = next(_promised(code, role), None) if role is not None else None
    place = str(args.get("place") or stage(args))
    them = "them" if " to " in place else "it"
    message = f"{args['path']} reads {place} before anything is written to {them}{at(args)}"
    if role is None or event is None:
        fixes = left_out_copy(code, finding.span)
        if not fixes and role is not None:
            fixes = earlier_wait(code, role, None, finding.span) or new_wait(code, role)
        return Words(message, "write it first, or wait for who writes it", fixes=fixes)
    hint = f"'{event.name}' tells that data is there: it gets no credit at start"
    return Words(message, hint, fixes=_fixes(code, role, event))


def _part(args: Args) -> Words:
    """A part of a slot that nothing has written: no rule says who should, so there is no fix."""
    them = "it" if args["single"] else "them"
    why = f"; nothing has written {them} by then" if args["late"] else ", which nothing ever writes"
    message = f"{args['path']} copies {args['part']}{why}{at(args)}"
    event = args["event"]
    return Words(
        message, f"write {them}, too, before '{event}' is triggered" if event else f"write {them}, too, before"
    )


def _promised(code: Code, role: ast.InThreads) -> Iterator[Symbol]:
    """Events that the role waits for and that have a credit at start, from itself or by declaration."""
    for event in code.events:
        if not any(site.region is role for site in waits(code, event)):
            continue
        if event_type(event).ready or any(grant.site.region is role for grant in grants(code, event)):
            yield event


def _fixes(code: Code, role: ast.InThreads, event: Symbol) -> tuple[Fix, ...]:
    """Give the credits at start to the event that the role gives back, unless that has them already."""
    back = list(dict.fromkeys(_given_back(code, role, event)))
    if len(back) != 1:
        return ()
    other = back[0]
    started = event_type(other).ready or bool(grants(code, other))
    title = f"Take the credits at start from '{event.name}'" if started else f"Start '{other.name}' instead"
    edits: list[Edit] = []
    if event_type(event).ready:
        removed = _unready(code, event)
        ready = () if started else declared_ready(other, code)
        if removed is None or ready is None:
            return ()
        edits += (removed, *ready)
    for grant in grants(code, event):
        ref = grant.site.ref
        name = Span(ref.span.start, ref.span.start + len(event.name))
        if code.slice(name) != event.name:
            return ()
        edits.append(code.removal(grant.whole) if started else Edit(name, other.name))
    return fix(title, tuple(edits), safe=True)


def _unready(code: Code, event: Symbol) -> Edit | None:
    """Take ` = ready` from the declaration of an event."""
    node = event.decl
    if not isinstance(node, ast.EventName) or not code.of(node).startswith(event.name):
        return None
    found = re.compile(r"[^=,;]*?(\s*=\s*ready)\b").match(code.text, node.span.start)
    return None if found is None else Edit(Span(*found.span(1)), "")


def _given_back(code: Code, role: ast.InThreads, event: Symbol) -> Iterator[Symbol]:
    """The events of the same length that the role triggers in its turns and others wait for."""
    for site in sites(code):
        other = site.event
        if site.region is not role or not isinstance(site.stmt, ast.Trigger) or other is event:
            continue
        apart = all(one.region is not role for one in waits(code, other))
        if apart and event_type(other).array == event_type(event).array and site in steady(code, other):
            yield other


RULE = Rule(
    name="unwritten-read",
    severity=Severity.ERROR,
    summary="A slot is read before anything was written to it.",
    rows=(),
    render=_render,
)
