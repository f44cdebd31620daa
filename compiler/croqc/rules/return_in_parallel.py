"""Rule `return-in-parallel`: the kernel itself cannot return (reference, P03, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    fixes = replace(subject, "End this thread with 'yield'", finding.span, r"(return)\s*;", "yield")
    return Words("'return' inside 'parallel'", "move it after the kernel; 'yield' ends one thread", fixes=fixes)


RULE = Rule(
    name="return-in-parallel",
    severity=Severity.ERROR,
    summary="The kernel itself cannot return.",
    rows=("P03",),
    render=_render,
)
