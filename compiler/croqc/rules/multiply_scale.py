"""Rule `multiply-scale`: the scale of a multiply does not fit it (reference, X12, 6.7)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    found = finding.args["found"]
    match finding.args["reason"]:
        case "unit":
            return Words("only multiplies of a warpgroup are scaled", "multiply the result by the scale yourself")
        case "shape":
            return Words(f"the row scale is f32 [M, 1] or f32 [1, M], not '{found}'", "one factor for each row of A")
        case "scalar":
            return Words(f"the second scale is one number, not '{found}'", "read an element of it with '.at'")
        case _:
            return Words(f"nothing was multiplied into '{found}' before this", "scale behind the multiply")


RULE = Rule(
    name="multiply-scale",
    severity=Severity.ERROR,
    summary="The scale of a multiply does not fit it.",
    rows=("X12",),
    render=_render,
)
