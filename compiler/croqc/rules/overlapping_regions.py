"""Rule `overlapping-regions`: two asynchronous regions have threads in common (reference, L15, 4.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    count = finding.args["threads"]
    message = f"{count} thread{' runs' if count == 1 else 's run'} both regions, one after the other"
    return Words(message, "give each region threads of its own")


RULE = Rule(
    name="overlapping-regions",
    severity=Severity.WARNING,
    summary="Two asynchronous regions have threads in common.",
    rows=("L15",),
    render=_render,
)
