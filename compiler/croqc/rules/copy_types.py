"""Rule `copy-types`: the two sides of a copy have different element types (reference, D01, 5.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    source, dest = finding.args["source"], finding.args["dest"]
    return Words(f"a copy does not convert '{source}' to '{dest}'", "give both sides one element type")


RULE = Rule(
    name="copy-types",
    severity=Severity.ERROR,
    summary="The two sides of a copy have different element types.",
    rows=("D01",),
    render=_render,
)
