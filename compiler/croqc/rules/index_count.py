"""Rule `index-count`: an element has more or fewer indices than its buffer has dimensions (reference, V15, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, rank, count = finding.args["name"], finding.args["r"], finding.args["k"]
    given = "1 index" if count == 1 else f"{count} indices"
    return Words(f"'{name}' has rank {rank}, {given} given", "write one index for each dimension")


RULE = Rule(
    name="index-count",
    severity=Severity.ERROR,
    summary="An element has more or fewer indices than its buffer has dimensions.",
    rows=("V15",),
    render=_render,
)
