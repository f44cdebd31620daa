"""Rule `parallel-count`: the count of a parallel level is no positive integer (reference, L01, 4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    found = str(finding.args["found"])
    hint = "write an integer of at least 1"
    if found.startswith(("tuple", "index tuple")):
        hint = "write the counts in brackets, '[a, b]'"
    return Words(f"the count must be a positive integer, got '{found}'", hint)


RULE = Rule(
    name="parallel-count",
    severity=Severity.ERROR,
    summary="The count of a parallel level is no positive integer.",
    rows=("L01",),
    render=_render,
)
