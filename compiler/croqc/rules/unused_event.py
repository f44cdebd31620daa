"""Rule `unused-event`: nobody waits for an event (credit-flow, section 4; reference, Q12)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_edits import taken_out
from croqc.rules.credit_sites import code_of, triggers, waits
from croqc.rules.credit_words import fix
from croqc.sema.model import Finding
from croqc.text.diagnostics import Fix, Severity


def _render(finding: Finding, subject: Subject) -> Words:
    name = finding.args["event"]
    if finding.args["triggered"]:
        message = f"'{name}' is triggered, but nobody waits for it"
        return Words(message, "wait for it where its data is read, or remove it", fixes=_fixes(finding, subject))
    message = f"'{name}' is neither triggered nor waited for"
    return Words(message, "remove it", fixes=_fixes(finding, subject), tags=("unnecessary",))


def _fixes(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    code = code_of(subject)
    named = [one for one in code.events if one.name == finding.args["event"]]
    event = next((one for one in named if finding.span.start <= one.name_span.start < finding.span.end), None)
    if event is not None and waits(code, event):
        return ()  # in a region that no thread enters: which of the two is wrong is not known
    found = triggers(code, event) if event is not None else []
    removed = taken_out(code, event) if event is not None else None
    if removed is None or any(len(site.stmt.refs) > 1 or not code.written(site.stmt) for site in found):
        return ()
    if any(getattr(site.stmt, "after", ()) for site in found):
        return ()
    edits = (removed, *(code.removal(site.stmt) for site in found))
    title = f"Remove '{finding.args['event']}'" + (" and its triggers" if found else "")
    return fix(title, edits, safe=not found)


RULE = Rule(
    name="unused-event",
    severity=Severity.WARNING,
    summary="Nobody waits for an event.",
    rows=("Q12",),
    render=_render,
)
