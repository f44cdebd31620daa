"""Rule `placeholder-name`: '_' is used as the name of a variable (reference, S17, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(_: Finding, __: Subject) -> Words:
    return Words("'_' is only a placeholder in 'chunkat' and 'subspan'", "give it a name")


RULE = Rule(
    name="placeholder-name",
    severity=Severity.ERROR,
    summary="'_' is used as the name of a variable.",
    rows=("S17",),
    render=_render,
)
