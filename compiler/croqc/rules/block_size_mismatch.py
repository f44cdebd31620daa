"""Rule `block-size-mismatch`: the inner levels of one kernel give different block sizes (reference, L08, 4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    threads, other = finding.args["threads"], finding.args["other"]
    return Words(f"{threads} threads here, {other} there", "all inner levels of a kernel share one block size")


RULE = Rule(
    name="block-size-mismatch",
    severity=Severity.ERROR,
    summary="The inner levels of one kernel give different block sizes.",
    rows=("L08",),
    render=_render,
)
