"""Rule `named-barrier`: a named barrier that is reserved or does not exist, or a count of part of a warp (Q15, 7.7)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    value = finding.args["value"]
    if finding.args["reason"] != "id":
        return Words(f"{value} threads are no whole number of warps", "write a multiple of 32")
    match value:
        case 0:  # it may be meant, and is right where nothing else waits for the block there
            text, severity = "named barrier 0 is the barrier of the whole block", Severity.INFORMATION
        case 15:
            text, severity = "named barrier 15 is reserved for warpgroups", Severity.WARNING
        case _:
            text, severity = f"a block has no named barrier {value}", Severity.ERROR
    return Words(text, "use 1 to 14", severity=severity)


RULE = Rule(
    name="named-barrier",
    severity=Severity.WARNING,
    summary="A named barrier that is reserved or does not exist, or a count that is no whole number of warps.",
    rows=("Q15",),
    render=_render,
)
