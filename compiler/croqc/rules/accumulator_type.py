"""Rule `accumulator-type`: the element type of an accumulator cannot be inferred (reference, X10, 6.3)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, operands = finding.args["name"], finding.args["operands"]
    message = f"the element type of '{name}' does not follow from operands of '{operands}'"
    return Words(message, "write it, as in 'mma.fill.f32'")


RULE = Rule(
    name="accumulator-type",
    severity=Severity.ERROR,
    summary="The element type of an accumulator cannot be inferred.",
    rows=("X10",),
    render=_render,
)
