"""Rule `zero-step`: a step or stride of 0: tiles or elements coincide (reference, V14, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    if finding.args["what"] == "step":
        return Words("the step is 0: all tiles start at the same place", "leave '.step' out for adjacent tiles")
    return Words("the stride is 0: one element is repeated along the dimension")


RULE = Rule(
    name="zero-step",
    severity=Severity.INFORMATION,
    summary="A step or stride of 0: tiles or elements coincide.",
    rows=("V14",),
    render=_render,
)
