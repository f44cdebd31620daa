"""Rule `no-common-type`: two float types have no common type (reference, T16, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    first, second = finding.args["t1"], finding.args["t2"]
    return Words(f"'{first}' and '{second}' have no common type", "convert both with '__to<f32>(...)'")


RULE = Rule(
    name="no-common-type",
    severity=Severity.ERROR,
    summary="Two float types have no common type.",
    rows=("T16",),
    render=_render,
)
