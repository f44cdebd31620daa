"""Rule `shift-count`: the count of a shift is not a constant (reference, T10, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(_: Finding, __: Subject) -> Words:
    return Words("the shift count must be a constant", "write a literal or a macro, or multiply or divide instead")


RULE = Rule(
    name="shift-count",
    severity=Severity.ERROR,
    summary="The count of a shift is not a constant.",
    rows=("T10",),
    render=_render,
)
