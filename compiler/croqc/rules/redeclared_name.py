"""Rule `redeclared-name`: a name is declared twice in one scope (reference, T02, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words(f"'{finding.args['name']}' is already declared in this scope", "give one of the two another name")


RULE = Rule(
    name="redeclared-name",
    severity=Severity.ERROR,
    summary="A name is declared twice in one scope.",
    rows=("T02",),
    render=_render,
)
