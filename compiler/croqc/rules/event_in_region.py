"""Rule `event-in-region`: an event is declared inside `inthreads` (reference, Q02, 7.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name = finding.args["name"]
    return Words(f"event '{name}' is declared inside 'inthreads'", "move it to the body of the block")


RULE = Rule(
    name="event-in-region",
    severity=Severity.ERROR,
    summary="An event is declared inside `inthreads`.",
    rows=("Q02",),
    render=_render,
)
