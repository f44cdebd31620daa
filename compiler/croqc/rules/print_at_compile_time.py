"""Rule `print-at-compile-time`: compile-time output of a value that only the run knows (reference, P11, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, change
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    node = next((one for one in reversed(around(subject, finding.span)) if isinstance(one, ast.Print)), None)
    fixes: tuple[Fix, ...] = ()
    if node is not None:
        mark = subject.text.index("!", node.span.start)
        fixes = change("Print it when it runs", Span(mark, mark + 1), "")
    return Words("not known during compilation: prints 'unknown'", "leave '!' out to print it in the run", fixes=fixes)


RULE = Rule(
    name="print-at-compile-time",
    severity=Severity.WARNING,
    summary="Compile-time output of a value that only the run knows.",
    rows=("P11",),
    render=_render,
)
