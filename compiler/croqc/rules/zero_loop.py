"""Rule `zero-loop`: an index has an extent below 1 (reference, L22, 4.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, extent = finding.args["name"], finding.args["v"]
    subject = f"the extent of '{name}'" if name else "the extent"
    return Words(f"{subject} is {extent}: the loop never runs", "write at least 1")


RULE = Rule(
    name="zero-loop",
    severity=Severity.ERROR,
    summary="An index has an extent below 1.",
    rows=("L22",),
    render=_render,
)
