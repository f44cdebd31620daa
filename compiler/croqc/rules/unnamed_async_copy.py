"""Rule `unnamed-async-copy`: an asynchronous copy has no name (reference, F01, 5.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    pattern = r"(?:dma|tma)[^;=]*?(\s*\.\s*async)\b(?!\s*<)"
    fixes = replace(subject, "Remove '.async'", finding.span, pattern, "")
    return Words("nobody can wait for this copy", "give it a name: 'f = ...; wait f;'", fixes=fixes)


RULE = Rule(
    name="unnamed-async-copy",
    severity=Severity.ERROR,
    summary="An asynchronous copy has no name.",
    rows=("F01",),
    render=_render,
)
