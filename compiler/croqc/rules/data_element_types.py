"""Rule `data-element-types`: whole buffers of different element types are combined (reference, S18)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    first, second = finding.args["t1"], finding.args["t2"]
    return Words(f"element types '{first}' and '{second}' differ", "whole buffers are not converted; work by element")


RULE = Rule(
    name="data-element-types",
    severity=Severity.ERROR,
    summary="Whole buffers of different element types are combined.",
    rows=("S18",),
    render=_render,
)
