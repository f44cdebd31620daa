"""Rule `event-storage`: an event is declared with a storage that does not exist there (reference, Q01, 7.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import change, insert
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    storage, start = str(finding.args["storage"]), finding.span.start
    if finding.args["level"] == "host":
        return Words(f"a '{storage}' event exists only inside 'parallel'", "declare it there, or make it 'global'")
    message, hint = "a 'global' event cannot be declared inside 'parallel'", "make it 'shared', or move it out"
    if storage:
        place = Span(start, start + len(storage))
        fixes = change("Make it 'shared'", place, "shared") if subject.slice(place) == storage else ()
        return Words(message, hint, fixes=fixes)
    return Words(
        "an event inside 'parallel' must be 'shared' or 'local'",
        "add 'shared'",
        fixes=insert("Add 'shared'", start, "shared "),
    )


RULE = Rule(
    name="event-storage",
    severity=Severity.ERROR,
    summary="An event is declared with a storage that does not exist there.",
    rows=("Q01",),
    render=_render,
)
