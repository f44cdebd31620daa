"""Rule `no-bound`: '#' is applied to a name that has no bound (reference, S14, 3.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, change
from croqc.sema.elements import INTEGERS
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    name, type_ = finding.args["x"], str(finding.args["t"])
    hint = f"'#' takes an index of 'parallel', 'with' or 'foreach'; '{name}' is of type '{type_}'"
    whole = type_.removeprefix("mutable ") in INTEGERS
    return Words(f"'{name}' has no bound", hint, fixes=_without_sign(finding, subject) if whole else ())


def _without_sign(finding: Finding, subject: Subject) -> tuple[Fix, ...]:
    for node in around(subject, finding.span):
        if isinstance(node, ast.BoundOf) and subject.slice(node.span).startswith("#"):
            return change("Remove '#'", Span(node.span.start, finding.span.start), "")
    return ()


RULE = Rule(
    name="no-bound",
    severity=Severity.ERROR,
    summary="'#' is applied to a name that has no bound.",
    rows=("S14",),
    render=_render,
)
