"""Rule `shared-warp-operand`: a warp multiplies a shared tile directly (reference, X06, 6.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    which = str(finding.args["operand"]).upper()
    name = subject.slice(finding.span)
    hint = f"load it: 'r = mma.load {name};'" if name.isidentifier() else "load it with 'mma.load' first"
    return Words(f"operand {which} of a warp comes from registers, not from shared memory", hint)


RULE = Rule(
    name="shared-warp-operand",
    severity=Severity.ERROR,
    summary="A warp multiplies a shared tile directly.",
    rows=("X06",),
    render=_render,
)
