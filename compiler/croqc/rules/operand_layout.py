"""Rule `operand-layout`: a warpgroup cannot multiply these types in this layout (reference, X17, 6.3)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    type_, layout = finding.args["type"], finding.args["layout"]
    message = f"a warpgroup multiplies '{type_}' only in layout 'row.row', not '{layout}'"
    return Words(message, "store A as [M, K] and B as [N, K]")


RULE = Rule(
    name="operand-layout",
    severity=Severity.ERROR,
    summary="A warpgroup cannot multiply these types in this layout.",
    rows=("X17",),
    render=_render,
)
