"""Rule `wide-barrier`: a barrier is wider than the level around it (reference, L21, 4.7)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    level, enclosing = finding.args["level"], finding.args["enclosing"]
    title = f"Change to ': {enclosing}'"
    fixes = replace(subject, title, finding.span, rf"sync\s*\.\s*barrier\s*:\s*({level})", str(enclosing))
    message = f"this barrier is of the {level}, but stands in a region of one {enclosing}"
    return Words(message, f"threads outside the region do not reach it; use ': {enclosing}'", fixes=fixes)


RULE = Rule(
    name="wide-barrier",
    severity=Severity.WARNING,
    summary="A barrier is wider than the level around it.",
    rows=("L21",),
    render=_render,
)
