"""Rule `sparse-multiply`: a sparse multiply does not fulfil its conditions (reference, X11, 6.7)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import remove_attribute
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    match finding.args["reason"]:
        case "k":
            return Words("K of a sparse multiply must be a multiple of 4", "two of every four elements are stored")
        case "metadata":
            return Words("the metadata of a warpgroup comes from registers", "load it with 'mma.load' first")
        case _:
            fixes = remove_attribute(subject, "Remove the schedule", finding.span)
            return Words("a sparse multiply takes no schedule", "remove the attribute", fixes=fixes)


RULE = Rule(
    name="sparse-multiply",
    severity=Severity.ERROR,
    summary="A sparse multiply does not fulfil its conditions.",
    rows=("X11",),
    render=_render,
)
