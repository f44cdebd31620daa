"""Rule `failed-assertion`: an assertion certainly fails, or its condition is no truth value (reference, P10, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    if finding.args["what"] == "not-bool":
        return Words("an assertion needs a truth value", "compare explicitly")
    return Words(f"assertion fails: {finding.args['text']}", "it is false whatever the sizes are")


RULE = Rule(
    name="failed-assertion",
    severity=Severity.ERROR,
    summary="An assertion certainly fails, or its condition is no truth value.",
    rows=("P10",),
    render=_render,
)
