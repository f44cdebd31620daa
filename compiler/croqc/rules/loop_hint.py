"""Rule `loop-hint`: a hint at a loop does not fit it (reference, L19, 4.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    value, extent = finding.args["value"], finding.args["extent"]
    match finding.args["reason"]:
        case "extent":
            title, factor = f"Change to {extent}", r"unroll\s*\(\s*(\d+)"
            fixes = replace(subject, title, finding.span, factor, str(extent), safe=True)
            return Words(f"the loop has only {extent} iterations", f"write {extent} or less", fixes=fixes)
        case "width":
            return Words(f"a vector width must be a power of two above 1, got {value}", "write 2, 4, 8 or 16")
        case _:
            return Words("only an innermost loop can be vectorised", "move the hint to the loop inside")


RULE = Rule(
    name="loop-hint",
    severity=Severity.ERROR,
    summary="A hint at a loop does not fit it.",
    rows=("L19",),
    render=_render,
)
