"""Rule `division-by-zero`: an integer is divided by a constant zero (reference, S08, 3.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words(f"division by zero: the right side of '{finding.args['op']}' is 0", "is a macro or size not set?")


RULE = Rule(
    name="division-by-zero",
    severity=Severity.ERROR,
    summary="An integer is divided by a constant zero.",
    rows=("S08",),
    render=_render,
)
