"""Rule `padded-store`: a TMA store reads rows with gaps between them (reference, D18, 5.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    row, stride = finding.args["row"], finding.args["stride"]
    message = f"rows of {row} elements lie {stride} apart, but TMA reads them without gaps"
    return Words(message, "use a buffer of its own for the tile, or 'dma'")


RULE = Rule(
    name="padded-store",
    severity=Severity.WARNING,
    summary="A TMA store reads rows with gaps between them.",
    rows=("D18",),
    render=_render,
)
