"""Rule `event-outside-role`: several paths reach a `trigger` or `wait` outside every role (reference, Q03, 7.3)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.role_guards import meant_role
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    word, paths = finding.args["word"], finding.args["paths"]
    message = f"{paths} paths reach this '{word}': all threads take part; is that intended?"
    role, fixes = meant_role(subject, finding.span)
    if role:
        return Words(message, f"an 'if' makes no role: write '{role}'", fixes=fixes)
    return Words(message, "put it into the 'inthreads' of one role")


RULE = Rule(
    name="event-outside-role",
    severity=Severity.WARNING,
    summary="Several paths reach a `trigger` or `wait` outside every `inthreads`.",
    rows=("Q03",),
    render=_render,
)
