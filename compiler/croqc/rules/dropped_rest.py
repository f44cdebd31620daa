"""Rule `dropped-rest`: only whole tiles of a size are counted, and no index reaches the rest (reference, 8.10)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    size, tile = finding.args["size"], finding.args["tile"]
    return Words(
        f"covers only multiples of {tile} of {size}: the last {size} % {tile} are left out",
        f"'cdiv({size}, {tile})' counts them too; 'subspan', or a guard, keeps the last tile inside",
    )


RULE = Rule(
    name="dropped-rest",
    severity=Severity.INFORMATION,
    summary="Only whole tiles of a size are counted, so that its rest is left out.",
    rows=(),
    render=_render,
)
