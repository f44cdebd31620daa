"""Rule `assumed-divisible`: a tile is whole only if its extent divides the data (reference, 5.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    tile, extent, dim = (finding.args[key] for key in ("tile", "extent", "dim"))
    hint = "default sizes respect it; 'subspan' with 'cdiv' takes any size"
    return Words(f"{tile} elements in dimension {dim} only if {extent} % {tile} == 0", hint)


RULE = Rule(
    name="assumed-divisible",
    severity=Severity.INFORMATION,
    summary="A tile is whole only if its extent divides the data.",
    rows=(),
    render=_render,
)
