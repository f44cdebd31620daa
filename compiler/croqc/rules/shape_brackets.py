"""Rule `shape-brackets`: a shape or tuple is written with the brackets of the other (reference, S04, 3.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span

_FORMS = {"shape": "': [...]'", "tuple": "'= {...}'"}


def _render(finding: Finding, subject: Subject) -> Words:
    what, got = str(finding.args["what"]), finding.args["got"]
    return Words(
        f"a {what} is declared with {_FORMS[what]}, got '{got}'",
        f"use {_FORMS['shape']} for shapes, {_FORMS['tuple']} for tuples",
        fixes=_fixes(finding, subject, what),
    )


def _fixes(finding: Finding, subject: Subject, what: str) -> tuple[Fix, ...]:
    span = finding.span
    text = subject.slice(span)
    if text[:1] + text[-1:] not in ("[]", "{}"):
        return ()
    path = around(subject, span)
    brackets = "[]" if what == "shape" else "{}"
    edits = (
        Edit(Span(span.start, span.start + 1), brackets[0]),
        Edit(Span(span.end - 1, span.end), brackets[1]),
    )
    rewrite = Fix(f"Write a {what}", edits, safe=False)
    assign = next((node for node in path if isinstance(node, ast.Assign)), None)
    if assign is None or len(assign.parts) > 1:
        return (rewrite,)
    sign = subject.text.index("=", assign.parts[0].target.span.end)
    start = sign - 1 if subject.text[sign - 1] == " " else sign
    return (Fix("Write a shape", (Edit(Span(start, sign + 1), " :"),), safe=False), rewrite)


RULE = Rule(
    name="shape-brackets",
    severity=Severity.ERROR,
    summary="A shape or tuple is written with the brackets of the other.",
    rows=("S04",),
    render=_render,
)
