"""Rule `reshape-unproven`: whether a reshape keeps the element count is unknown (reference, V10, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    have, want = finding.args["a"], finding.args["b"]
    return Words(
        f"element counts could not be compared: '{have}' and '{want}'",
        "write the extents with the names of the dimensions",
    )


RULE = Rule(
    name="reshape-unproven",
    severity=Severity.WARNING,
    summary="Whether a reshape keeps the number of elements could not be decided.",
    rows=("V10",),
    render=_render,
)
