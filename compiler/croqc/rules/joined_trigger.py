"""Rule `joined-trigger`: a `trigger … after` cannot bind these events or transfers (reference, Q09, 7.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import change
from croqc.rules.rewrites import node_at
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span

_WORDS = {
    "events": ("'after' binds exactly one event", "trigger the others by statements of their own"),
    "storage": ("'after' needs a 'shared' event", "write 'wait f; trigger e;'"),
    "sync": ("'{}' is complete when its statement ends", "leave 'after' out"),
    "name": ("'{}' is not the future of a copy", "name the future of an asynchronous copy"),
    "multiply": ("a multiply cannot be bound to an event", "write 'wait f; trigger e;'"),
    "store": ("a copy out of shared memory cannot be bound to an event", "write 'wait f; trigger e;'"),
}


def _render(finding: Finding, subject: Subject) -> Words:
    reason = str(finding.args["reason"])
    message, hint = _WORDS[reason]
    return Words(message.format(finding.args["name"]), hint, fixes=_fixes(finding.span, subject, reason))


def _fixes(place: Span, subject: Subject, reason: str) -> tuple[Fix, ...]:
    """`trigger e after f;` with one future becomes `trigger e;` or `wait f; trigger e;`."""
    node = node_at(subject, place, ast.Trigger)
    if node is None or len(node.after) != 1 or len(node.refs) != 1 or reason in ("events", "name"):
        return ()
    events, future = subject.slice(node.refs[0].span), subject.slice(node.after[0].span)
    rest = Span(node.refs[0].span.end, node.after[0].span.end)
    if reason == "sync":
        return change("Trigger it at once", rest, "", safe=True)
    whole = Span(node.span.start, node.after[0].span.end)
    return change("Wait, then trigger", whole, f"wait {future}; trigger {events}")


RULE = Rule(
    name="joined-trigger",
    severity=Severity.ERROR,
    summary="A `trigger … after` cannot bind these events or transfers.",
    rows=("Q09",),
    render=_render,
)
