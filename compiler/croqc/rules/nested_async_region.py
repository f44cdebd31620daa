"""Rule `nested-async-region`: an asynchronous 'inthreads' stands inside another one (reference, L13, 4.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    fixes = replace(subject, "Remove '.async'", finding.span, r"inthreads(\s*\.\s*async)", "", safe=True)
    hint = "remove it; inside a region 'inthreads' has no barrier anyway"
    return Words("only the outermost 'inthreads' can be '.async'", hint, fixes=fixes)


RULE = Rule(
    name="nested-async-region",
    severity=Severity.ERROR,
    summary="An asynchronous 'inthreads' stands inside another one.",
    rows=("L13",),
    render=_render,
)
