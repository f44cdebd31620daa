"""Rule `dynamic-device-buffer`: a shared or local buffer has a size that only the run knows (reference, S11, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, storage, extent, dim = (finding.args[key] for key in ("name", "storage", "extent", "d"))
    return Words(
        f"a '{storage}' buffer needs a constant shape; dimension {dim} of '{name}' is '{extent}'",
        "make it a tile of constant size and loop over the tiles",
    )


RULE = Rule(
    name="dynamic-device-buffer",
    severity=Severity.ERROR,
    summary="A shared or local buffer has a size that is known only at run time.",
    rows=("S11",),
    render=_render,
)
