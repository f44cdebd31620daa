"""Rule `fill-value`: a buffer is filled with something other than a number (reference, S12, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, type_ = finding.args["name"], finding.args["t"]
    return Words(f"the fill value of '{name}' must be a scalar, got '{type_}'", "every element gets the one value")


RULE = Rule(
    name="fill-value",
    severity=Severity.ERROR,
    summary="A buffer is filled with something other than a number.",
    rows=("S12",),
    render=_render,
)
