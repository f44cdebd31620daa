"""Rule `load-tile`: a loaded tile reaches past its buffer (reference, X13, 6.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    tile, extent, dim, buffer = (finding.args[key] for key in ("tile", "extent", "dim", "buffer"))
    message = f"tiles of {tile} do not divide the {extent} elements of '{buffer}' in dimension {dim}"
    return Words(message, "the last one is read past the end; make the buffer larger or the tile smaller")


RULE = Rule(
    name="load-tile",
    severity=Severity.ERROR,
    summary="A loaded tile reaches past its buffer.",
    rows=("X13",),
    render=_render,
)
