"""Rule `no-such-multiply`: no instruction has these types and this shape (reference, X03, 6.3)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words, listed
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    a, b, acc, target = (finding.args[key] for key in ("a", "b", "acc", "target"))
    shape = "x".join(str(finding.args[key]) for key in "mnk")
    kind = "sparse " if finding.args["sparse"] else ""
    nearest = finding.args["nearest"]
    message = f"'{target}' has no {kind}multiply {a} x {b} + {acc} of {shape}"
    if isinstance(nearest, tuple) and nearest:
        return Words(message, f"nearest: {', '.join(nearest)}")
    accumulators = finding.args["accumulators"]
    if accumulators:
        return Words(message, f"accumulate in {listed(accumulators, ' or ')}")
    return Words(message, "these types cannot be multiplied there; change an element type")


RULE = Rule(
    name="no-such-multiply",
    severity=Severity.ERROR,
    summary="No instruction has these types and this shape.",
    rows=("X03",),
    render=_render,
)
