"""Rule `named-barrier`: a named barrier that is reserved or does not exist, or a count of part of a warp (Q15, 7.7)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_RESERVED = {0: "the barrier of the whole block", 15: "reserved for warpgroups"}


def _render(finding: Finding, _: Subject) -> Words:
    value = finding.args["value"]
    if finding.args["reason"] == "id":
        if value not in _RESERVED:
            return Words(f"a block has no named barrier {value}", "use 1 to 14", severity=Severity.ERROR)
        return Words(f"named barrier {value} is {_RESERVED[value]}", "use 1 to 14")
    return Words(f"{value} threads are no whole number of warps", "write a multiple of 32")


RULE = Rule(
    name="named-barrier",
    severity=Severity.WARNING,
    summary="A named barrier that is reserved or does not exist, or a count that is no whole number of warps.",
    rows=("Q15",),
    render=_render,
)
