"""Rule `warpgroup-multiply`: the target cannot do a multiply of a warpgroup (reference, X04, 6.3)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words, listed
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    a, b, acc, target, needs = (finding.args[key] for key in ("a", "b", "acc", "target", "needs"))
    shape = "x".join(str(finding.args[key]) for key in "mnk")
    message = f"'{target}' can neither issue nor split a multiply {a} x {b} + {acc} of {shape}"
    return Words(message, f"targets that have it: {listed(needs)}")


RULE = Rule(
    name="warpgroup-multiply",
    severity=Severity.ERROR,
    summary="The target cannot do a multiply of a warpgroup.",
    rows=("X04",),
    render=_render,
)
