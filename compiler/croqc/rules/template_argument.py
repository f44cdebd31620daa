"""Rule `template-argument`: a template argument is not a constant integer (reference, P08, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    text = subject.slice(finding.span)
    if finding.args["static"]:
        return Words(
            f"'{text}' is not known during compilation",
            "a template argument is a constant; pass the value as an argument",
            severity=Severity.WARNING,
        )
    return Words(f"'{finding.args['t']}' cannot be a template argument", "write a constant integer or a type")


RULE = Rule(
    name="template-argument",
    severity=Severity.ERROR,
    summary="A template argument is not an integer, or not known during compilation.",
    rows=("P08",),
    render=_render,
)
