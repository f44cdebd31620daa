"""Rule `too-many-chunks`: a dimension is cut into more chunks than it has elements (reference, V04, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    chunks, size, dim = (finding.args[key] for key in ("f", "s", "d"))
    return Words(f"more chunks ({chunks}) than elements ({size}) in dimension {dim}", f"cut it into {size} at most")


RULE = Rule(
    name="too-many-chunks",
    severity=Severity.ERROR,
    summary="A dimension is cut into more chunks than it has elements.",
    rows=("V04",),
    render=_render,
)
