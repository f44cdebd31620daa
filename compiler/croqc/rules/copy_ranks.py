"""Rule `copy-ranks`: the two sides of a copy have different ranks (reference, D02, 5.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    source, dest = finding.args["source"], finding.args["dest"]
    message = f"the source has rank {source}, the destination rank {dest}"
    return Words(message, "take a view of the same rank, for example with '.span_as' or '.sqz'")


RULE = Rule(
    name="copy-ranks",
    severity=Severity.ERROR,
    summary="The two sides of a copy have different ranks.",
    rows=("D02",),
    render=_render,
)
