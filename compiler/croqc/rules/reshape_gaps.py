"""Rule `reshape-gaps`: a view with gaps between its rows is reshaped (reference, V11, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    hint = "copy the view into a buffer first"
    if finding.args["proved"]:
        return Words("reshape needs contiguous data, this view has gaps", hint)
    return Words("reshape needs contiguous data, this view may have gaps", hint, severity=Severity.WARNING)


RULE = Rule(
    name="reshape-gaps",
    severity=Severity.ERROR,
    summary="A view with gaps between its rows is reshaped.",
    rows=("V11",),
    render=_render,
)
