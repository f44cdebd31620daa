"""Rule `divergent-collective`: only a part of a unit reaches a statement that needs all of it (reference, L23, 4.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.role_guards import meant_role
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    what, unit = finding.args["what"], str(finding.args["unit"])
    message = f"'{what}' needs all threads of the {unit}, but not all of them come here"
    role, fixes = meant_role(subject, finding.span)
    if role:
        return Words(message, f"an 'if' makes no role: write '{role}'", fixes=fixes)
    return Words(message, f"move it out of the 'if' or loop, or choose a whole {unit}")


RULE = Rule(
    name="divergent-collective",
    severity=Severity.ERROR,
    summary="Only a part of a unit reaches a statement that needs all of it.",
    rows=("L23",),
    render=_render,
)
