"""Rule `uniform-predicate`: a part of an 'inthreads' condition depends on no parallel index (reference, L12, 4.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import node_at, replace
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Severity

_HEAD = r"(inthreads(?:\s*\.\s*async)?)"


def _bare(cond: ast.Node) -> ast.Node:
    while isinstance(cond, ast.Paren):
        cond = cond.inner
    return cond


def _render(finding: Finding, subject: Subject) -> Words:
    hint = "every part must depend on a parallel index; use 'if' for the others"
    region = node_at(subject, finding.span, ast.InThreads)
    whole = region is not None and _bare(region.cond).span == finding.span
    fixes = replace(subject, "Change to 'if'", region.span, _HEAD, "if") if region is not None and whole else ()
    return Words("this is the same in all threads, so it chooses none of them", hint, fixes=fixes)


RULE = Rule(
    name="uniform-predicate",
    severity=Severity.ERROR,
    summary="A part of an 'inthreads' condition depends on no parallel index.",
    rows=("L12",),
    render=_render,
)
