"""Rule `shadowed-assignment`: what looks like an assignment declares a new name (reference, T03, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import make_mutable
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    outer = finding.related[0].span if finding.related else None
    return Words(
        f"this declares a new '{finding.args['name']}'; the outer one is unchanged",
        "declare the outer one 'mutable' to assign it",
        fixes=make_mutable(subject, outer) if outer else (),
    )


RULE = Rule(
    name="shadowed-assignment",
    severity=Severity.INFORMATION,
    summary="What looks like an assignment declares a new name.",
    rows=("T03",),
    render=_render,
)
