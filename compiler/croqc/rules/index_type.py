"""Rule `index-type`: an index is not an integer (reference, V18, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import convert_to
from croqc.sema.elements import FLOATS
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    type_ = str(finding.args["t"])
    fixes = convert_to(subject, finding.span, "s32", safe=False) if type_.split()[-1] in FLOATS else ()
    return Words(f"an index must be an integer, got '{type_}'", "convert it, or compute it with integers", fixes=fixes)


RULE = Rule(
    name="index-type",
    severity=Severity.ERROR,
    summary="An index is not an integer.",
    rows=("V18",),
    render=_render,
)
