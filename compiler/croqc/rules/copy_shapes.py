"""Rule `copy-shapes`: the source of a copy does not fit its destination (reference, D03, 5.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    source, dest, dim = (finding.args[key] for key in ("source", "dest", "dim"))
    hint = f"dimension {dim} must be equal; between global and shared memory the source may be smaller"
    return Words(f"source {source} does not fit {dest}", hint)


RULE = Rule(
    name="copy-shapes",
    severity=Severity.ERROR,
    summary="The source of a copy does not fit its destination.",
    rows=("D03",),
    render=_render,
)
