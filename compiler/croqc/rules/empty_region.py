"""Rule `empty-region`: no thread of the block enters a region (reference, 4.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    threads = finding.args["threads"]
    message = f"none of the {threads} threads of the block enters this region"
    if threads == 1:
        message = "the one thread of the block does not enter this region"
    if finding.args["configured"]:  # as other numbers would have it, somebody may
        return Words(message, "nothing in it is done as the macros stand", severity=Severity.INFORMATION)
    return Words(message, "indices count from 0: choose by one that the 'parallel' has, or widen it")


RULE = Rule(
    name="empty-region",
    severity=Severity.WARNING,
    summary="No thread of the block enters a region.",
    rows=(),
    render=_render,
)
