"""Rule `register-operand`: a warpgroup cannot take this operand from registers (reference, X07, 6.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    which = str(finding.args["operand"]).upper()
    hint = "use the shared tile itself, or 'mma.load' of it without '.frag'"
    return Words(f"operand {which} of a warpgroup comes from shared memory, not from registers", hint)


RULE = Rule(
    name="register-operand",
    severity=Severity.ERROR,
    summary="A warpgroup cannot take this operand from registers.",
    rows=("X07",),
    render=_render,
)
