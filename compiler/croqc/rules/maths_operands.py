"""Rule `maths-operands`: a built-in function gets an operand of a wrong type (reference, P13, 4.6, 9.12)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, want, have = (finding.args[key] for key in ("name", "want", "have"))
    return Words(f"'{name}' needs {want}, got '{have}'", "convert the operand, or compare or pick explicitly")


RULE = Rule(
    name="maths-operands",
    severity=Severity.ERROR,
    summary="A built-in function gets an operand of a wrong type.",
    rows=("P13",),
    render=_render,
)
