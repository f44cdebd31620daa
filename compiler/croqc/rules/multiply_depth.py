"""Rule `multiply-depth`: the operands of a multiply differ in K (reference, X02, 6.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    a, b = finding.args["a"], finding.args["b"]
    if finding.args["sparse"]:
        return Words(f"K is {a} in the packed operand A and {b} in B", "B needs twice the K that A stores")
    hint = "'row' takes A as [M, K] and B as [N, K], 'col' the other way round"
    return Words(f"K is {a} in operand A and {b} in B", hint)


RULE = Rule(
    name="multiply-depth",
    severity=Severity.ERROR,
    summary="The operands of a multiply differ in K.",
    rows=("X02",),
    render=_render,
)
