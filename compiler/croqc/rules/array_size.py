"""Rule `array-size`: the size of an array is not a positive constant (reference, S10, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words(f"array sizes must be positive constants, got '{finding.args['v']}'", "write a literal or a macro")


RULE = Rule(
    name="array-size",
    severity=Severity.ERROR,
    summary="The size of an array is not a positive constant.",
    rows=("S10",),
    render=_render,
)
