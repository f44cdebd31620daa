"""Rule `data-extents`: whole buffers of different shapes are combined (reference, S19)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    first, second, dim = (finding.args[key] for key in ("a", "b", "d"))
    return Words(f"shapes {first} and {second} differ in dimension {dim}", "work on views of one shape, or by element")


RULE = Rule(
    name="data-extents",
    severity=Severity.ERROR,
    summary="Whole buffers of different shapes are combined.",
    rows=("S19",),
    render=_render,
)
