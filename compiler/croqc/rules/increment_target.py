"""Rule `increment-target`: '++' or '--' needs a mutable scalar (reference, T17)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import make_mutable, may_be_mutable
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    op, name = finding.args["op"], finding.args["name"]
    message = f"'{op}' needs a mutable scalar, which '{name}' is not"
    declared = finding.related[0].span if finding.related else finding.span
    if may_be_mutable(subject, declared):
        return Words(message, "declare it 'mutable'", fixes=make_mutable(subject, declared))
    return Words(message, "copy it into a 'mutable' variable")


RULE = Rule(
    name="increment-target",
    severity=Severity.ERROR,
    summary="'++' or '--' is applied to something that is not a mutable scalar.",
    rows=("T17",),
    render=_render,
)
