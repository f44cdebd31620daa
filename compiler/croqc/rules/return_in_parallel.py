"""Rule `return-in-parallel`: the kernel itself cannot return (reference, P03, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import change
from croqc.sema.model import Finding
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    text = subject.slice(finding.span)
    fixes: tuple[Fix, ...] = ()
    if text.rstrip("; ") == "return":
        word = Span(finding.span.start, finding.span.start + len("return"))
        fixes = change("End this thread with 'yield'", word, "yield")
    return Words("'return' inside 'parallel'", "move it after the kernel; 'yield' ends one thread", fixes=fixes)


RULE = Rule(
    name="return-in-parallel",
    severity=Severity.ERROR,
    summary="The kernel itself cannot return.",
    rows=("P03",),
    render=_render,
)
