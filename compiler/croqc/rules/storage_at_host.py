"""Rule `storage-at-host`: shared or local memory is declared outside the kernel (reference, M01, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    storage = finding.args["s"]
    message = f"'{storage}' memory exists only inside 'parallel'"
    if finding.args["name"]:
        return Words(message, "declare it inside, or leave out the storage word for a host buffer")
    fixes = replace(subject, "Copy into 'global' memory", finding.span, r"(?:shared|local)\b", "global")
    return Words(message, "copy into 'global' memory here", fixes=fixes)


RULE = Rule(
    name="storage-at-host",
    severity=Severity.ERROR,
    summary="Shared or local memory is declared outside the kernel.",
    rows=("M01",),
    render=_render,
)
