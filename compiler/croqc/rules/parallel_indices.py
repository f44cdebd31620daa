"""Rule `parallel-indices`: the indices of a parallel level do not fit its counts (reference, L02, 4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _render(finding: Finding, _: Subject) -> Words:
    names, bounds = int(str(finding.args["names"])), int(str(finding.args["bounds"]))
    if names == bounds:
        return Words(f"{names} indices in one level, at most 3 are possible", "spread them over two levels")
    return Words(f"{names} index name{_s(names)} for {bounds} count{_s(bounds)}", "give each index one count")


RULE = Rule(
    name="parallel-indices",
    severity=Severity.ERROR,
    summary="The indices of a parallel level do not fit its counts.",
    rows=("L02",),
    render=_render,
)
