"""Rule `reshape-count`: a reshape changes the number of elements (reference, V09, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    have, want = finding.args["a"], finding.args["b"]
    return Words(f"cannot reshape {have} elements into {want}", "the product of the extents stays the same")


RULE = Rule(
    name="reshape-count",
    severity=Severity.ERROR,
    summary="A reshape changes the number of elements.",
    rows=("V09",),
    render=_render,
)
