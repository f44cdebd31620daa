"""Rule `shared-scalar-init`: a shared scalar is declared with an initial value (reference, M03, 3.6)."""

from __future__ import annotations

import re

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import node_at, replace
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    name = str(finding.args["name"])
    return Words(
        f"'{name}' is one for the whole block and cannot have an initial value",
        "assign it behind the declaration",
        fixes=_split(subject, finding.span, name),
    )


def _split(subject: Subject, place: Span, name: str) -> tuple[Fix, ...]:
    """`shared s32 n = 0;` becomes a declaration and an assignment on a line of its own."""
    node = node_at(subject, place, ast.ScalarDecl)
    if node is None or len(node.inits) > 1 or node.inits[0].value is None:
        return ()
    value = subject.slice(node.inits[0].value.span)
    line = subject.newline + subject.indent(node.span.start)
    text = f"{name};{line}{name} = {value}"
    return replace(subject, "Assign it on a line of its own", place, rf"{re.escape(name)}\b[^;]*", text)


RULE = Rule(
    name="shared-scalar-init",
    severity=Severity.ERROR,
    summary="A shared scalar is declared with an initial value.",
    rows=("M03",),
    render=_render,
)
