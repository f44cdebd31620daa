"""Rule `event-storage`: an event is declared with a storage that does not exist there (reference, Q01, 7.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import insert
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    storage = str(finding.args["storage"])
    if finding.args["level"] == "host":
        return Words(f"a '{storage}' event exists only inside 'parallel'", "declare it there, or make it 'global'")
    message, hint = "a 'global' event cannot be declared inside 'parallel'", "make it 'shared', or move it out"
    if storage:
        return Words(message, hint, fixes=replace(subject, "Make it 'shared'", finding.span, r"global\b", "shared"))
    return Words(
        "an event inside 'parallel' must be 'shared' or 'local'",
        "add 'shared'",
        fixes=insert("Add 'shared'", finding.span.start, "shared ", safe=True),
    )


RULE = Rule(
    name="event-storage",
    severity=Severity.ERROR,
    summary="An event is declared with a storage that does not exist there.",
    rows=("Q01",),
    render=_render,
)
