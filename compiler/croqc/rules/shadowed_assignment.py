"""Rule `shadowed-assignment`: what looks like an assignment declares a new name (reference, T03, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_sites import code_of
from croqc.rules.mends import make_mutable
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    outer, name = finding.related[0].span, str(finding.args["name"])
    if finding.args["future"]:
        message = f"this declares a new future '{name}'; the outer one still holds its own copy"
        hint = f"begin the outer one with '{name} = dma.any;' to assign it, or take another name"
        return Words(message, hint, fixes=_placeholder(subject, outer, name))
    return Words(
        f"this declares a new '{name}'; the outer one is unchanged",
        "declare the outer one 'mutable' to assign it",
        fixes=make_mutable(subject, outer),
    )


def _placeholder(subject: Subject, outer: Span, name: str) -> tuple[Fix, ...]:
    """`f = dma.any;` in front of the copy that declares the outer one."""
    code = code_of(subject)
    for node in code.around:
        if isinstance(node, ast.Copy) and node.target is not None and node.target.span == outer and code.written(node):
            edit = code.before(node, f"{name} = {node.engine}.any;")
            return (Fix(f"Declare '{name}' with '{node.engine}.any'", (edit,), safe=False),)
    return ()


RULE = Rule(
    name="shadowed-assignment",
    severity=Severity.INFORMATION,
    summary="What looks like an assignment declares a new name.",
    rows=("T03",),
    render=_render,
)
