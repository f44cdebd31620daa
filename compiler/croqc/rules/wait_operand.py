"""Rule `wait-operand`: 'wait' is given something that cannot complete (reference, F10, 5.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words(f"cannot wait for '{finding.args['found']}'", "'wait' takes events and asynchronous copies")


RULE = Rule(
    name="wait-operand",
    severity=Severity.ERROR,
    summary="'wait' is given something that cannot complete.",
    rows=("F10",),
    render=_render,
)
