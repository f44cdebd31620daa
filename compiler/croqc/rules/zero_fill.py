"""Rule `zero-fill`: '.zfill' fills nothing (reference, D15, 5.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    pattern = r"(?:\w+\s*=\s*)?(?:dma|tma)[^;=]*?(\s*\.\s*zfill)\b"
    fixes = replace(subject, "Remove '.zfill'", finding.span, pattern, "", safe=True)
    return Words("'.zfill' fills nothing here: every tile is full", "remove it", fixes=fixes)


RULE = Rule(
    name="zero-fill",
    severity=Severity.WARNING,
    summary="'.zfill' fills nothing.",
    rows=("D15",),
    render=_render,
)
