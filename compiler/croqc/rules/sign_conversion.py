"""Rule `sign-conversion`: an implicit conversion changes negative values (reference, T14, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import convert_to
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _change(source: str) -> str:
    return "changes negative values" if source.startswith("s") else "makes large values negative"


def _render(finding: Finding, subject: Subject) -> Words:
    source, target = str(finding.args["t1"]), str(finding.args["t2"])
    return Words(
        f"'{source}' to '{target}' {_change(source)}",
        f"write '__to<{target}>(...)' if that is meant",
        fixes=convert_to(subject, finding.span, target, safe=True),
    )


RULE = Rule(
    name="sign-conversion",
    severity=Severity.WARNING,
    summary="An implicit conversion changes negative values.",
    rows=("T14",),
    render=_render,
)
