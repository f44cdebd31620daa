"""Rule `unsupported-type`: an element type does not exist on the target (reference, T15, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words, listed
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    type_, target, needs = (finding.args[key] for key in ("t", "arch", "needs"))
    return Words(f"'{type_}' is not available on '{target}'", f"targets that have it: {listed(needs)}")


RULE = Rule(
    name="unsupported-type",
    severity=Severity.ERROR,
    summary="An element type does not exist on the target.",
    rows=("T15",),
    render=_render,
)
