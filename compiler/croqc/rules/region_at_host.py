"""Rule `region-at-host`: 'inthreads' stands outside a kernel (reference, L11, 4.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words("'inthreads' is only possible inside 'parallel'", "the host has no threads to choose from; use 'if'")


RULE = Rule(
    name="region-at-host",
    severity=Severity.ERROR,
    summary="'inthreads' stands outside a kernel.",
    rows=("L11",),
    render=_render,
)
