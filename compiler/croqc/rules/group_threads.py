"""Rule `group-threads`: the threads of a warp or warpgroup have another number than the unit (reference, L05, 4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    threads, needed, level = (finding.args[key] for key in ("threads", "needed", "level"))
    title = f"Change to 'by {needed}'"
    fixes = replace(subject, title, finding.span, r"(?:\w+\s+)?by\s+(\d+)", str(needed))
    return Words(f"{threads} threads under '{level}', which has {needed}", f"write {needed} threads", fixes=fixes)


RULE = Rule(
    name="group-threads",
    severity=Severity.ERROR,
    summary="The threads of a warp or warpgroup have another number than the unit.",
    rows=("L05",),
    render=_render,
)
