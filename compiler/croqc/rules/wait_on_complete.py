"""Rule `wait-on-complete`: a wait for a copy that is complete already (reference, F02, 5.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import node_at, remove_statement
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity


def _render(finding: Finding, subject: Subject) -> Words:
    name = finding.args["name"]
    waiting = node_at(subject, finding.span, ast.Wait)
    fixes: tuple[Fix, ...] = ()
    if waiting is not None and len(waiting.refs) == 1:
        fixes = remove_statement(subject, "Remove the wait", waiting.span, safe=True)
    hint = "remove it, or make the copy '.async'"
    return Words(f"the copy '{name}' is complete at its statement; there is nothing to wait for", hint, fixes=fixes)


RULE = Rule(
    name="wait-on-complete",
    severity=Severity.ERROR,
    summary="A wait for a copy that is complete already.",
    rows=("F02",),
    render=_render,
)
