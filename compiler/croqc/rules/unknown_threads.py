"""Rule `unknown-threads`: the threads of a region are not known before the run (reference, L14, 4.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words("which threads this chooses is not known before the run", "their count is taken at run time")


RULE = Rule(
    name="unknown-threads",
    severity=Severity.INFORMATION,
    summary="The threads of a region are not known before the run.",
    rows=("L14",),
    render=_render,
)
