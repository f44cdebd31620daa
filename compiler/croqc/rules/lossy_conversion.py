"""Rule `lossy-conversion`: an implicit conversion may lose precision (reference, T13, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import convert_to
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    source, target = str(finding.args["t1"]), str(finding.args["t2"])
    return Words(
        f"'{source}' to '{target}' may lose precision",
        f"write '__to<{target}>(...)' if that is meant",
        fixes=convert_to(subject, finding.span, target, safe=True),
    )


RULE = Rule(
    name="lossy-conversion",
    severity=Severity.WARNING,
    summary="An implicit conversion may lose precision.",
    rows=("T13",),
    render=_render,
)
