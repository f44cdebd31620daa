"""Rule `print-at-compile-time`: compile-time output of a value that only the run knows (reference, P11, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import node_at, replace
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    node = node_at(subject, finding.span, ast.Print)
    fixes = replace(subject, "Print it when it runs", node.span, r"print(?:ln)?\s*(!)", "") if node else ()
    return Words("not known during compilation: prints 'unknown'", "leave '!' out to print it in the run", fixes=fixes)


RULE = Rule(
    name="print-at-compile-time",
    severity=Severity.WARNING,
    summary="Compile-time output of a value that only the run knows.",
    rows=("P11",),
    render=_render,
)
