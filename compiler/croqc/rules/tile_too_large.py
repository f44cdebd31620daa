"""Rule `tile-too-large`: a tile is larger than what it is cut from (reference, V05, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    tile, size, dim = (finding.args[key] for key in ("e", "s", "d"))
    whole = ", or '_' for the whole extent" if finding.args["op"] == "subspan" else ""
    return Words(f"tile {tile} is larger than {size} in dimension {dim}", f"write {size} at most{whole}")


RULE = Rule(
    name="tile-too-large",
    severity=Severity.ERROR,
    summary="A tile is larger than what it is cut from.",
    rows=("V05",),
    render=_render,
)
