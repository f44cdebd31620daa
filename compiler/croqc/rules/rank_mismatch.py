"""Rule `rank-mismatch`: two shapes or tuples of different rank are combined (reference, S05, 3.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words(
        f"ranks {finding.args['a']} and {finding.args['b']} differ", "both sides need the same number of dimensions"
    )


RULE = Rule(
    name="rank-mismatch",
    severity=Severity.ERROR,
    summary="Two shapes or tuples of different rank are combined.",
    rows=("S05",),
    render=_render,
)
