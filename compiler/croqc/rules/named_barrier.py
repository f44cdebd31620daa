"""Rule `named-barrier`: a reserved named barrier, or a count of part of a warp (reference, Q15, 7.7)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    value = finding.args["value"]
    if finding.args["reason"] == "id":
        return Words(f"named barrier {value} is reserved for warpgroups", "use 1 to 14")
    return Words(f"{value} threads are no whole number of warps", "write a multiple of 32")


RULE = Rule(
    name="named-barrier",
    severity=Severity.WARNING,
    summary="A named barrier that is reserved, or a count that is no whole number of warps.",
    rows=("Q15",),
    render=_render,
)
