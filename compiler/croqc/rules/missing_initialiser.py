"""Rule `missing-initialiser`: a declaration lacks its value (reference, T05, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import insert
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name = finding.args["name"]
    return Words(
        f"'{name}' needs an initial value",
        f"write '{name} = ...'",
        fixes=insert("Start with 0", finding.span.end, " = 0"),
    )


RULE = Rule(
    name="missing-initialiser",
    severity=Severity.ERROR,
    summary="An integer or a name without a type is declared without a value.",
    rows=("T05",),
    render=_render,
)
