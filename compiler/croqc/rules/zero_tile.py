"""Rule `zero-tile`: a tile has an extent below 1, or there are no chunks (reference, V03, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    if finding.args["op"] == "chunkat":
        return Words("nothing can be cut into 0 chunks", "write at least 1")
    return Words("the tile size must be at least 1", "write the number of elements of one tile")


RULE = Rule(
    name="zero-tile",
    severity=Severity.ERROR,
    summary="A tile has an extent below 1, or there are no chunks.",
    rows=("V03",),
    render=_render,
)
