"""Rule `unsupported-type`: an element type does not exist on the target (reference, T15, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words(f"'{finding.args['t']}' is not available on '{finding.args['arch']}'", "it needs sm_90a or later")


RULE = Rule(
    name="unsupported-type",
    severity=Severity.ERROR,
    summary="An element type does not exist on the target.",
    rows=("T15",),
    render=_render,
)
