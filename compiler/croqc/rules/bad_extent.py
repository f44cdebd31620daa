"""Rule `bad-extent`: an extent is zero or negative (reference, S01, 3.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    value, dim = finding.args["v"], finding.args["d"]
    return Words(f"extent {value} in dimension {dim} must be at least 1", "dimensions count from 0")


RULE = Rule(
    name="bad-extent",
    severity=Severity.ERROR,
    summary="An extent is zero or negative.",
    rows=("S01",),
    render=_render,
)
