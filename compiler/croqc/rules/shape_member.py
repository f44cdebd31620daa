"""Rule `shape-member`: something other than an immutable integer stands in a shape or tuple (reference, S02, 3.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    type_, what = finding.args["t"], finding.args["what"]
    hint = "copy it into an 'int' first" if finding.args["mutable"] else "only integers can"
    return Words(f"a value of type '{type_}' cannot be part of a {what}", hint)


RULE = Rule(
    name="shape-member",
    severity=Severity.ERROR,
    summary="Something other than an immutable integer stands in a shape or tuple.",
    rows=("S02",),
    render=_render,
)
