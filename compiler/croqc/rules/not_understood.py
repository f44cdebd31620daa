"""Rule `not-understood`: a construct is read but not analysed yet, so nothing is claimed about it."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    construct = finding.args["construct"]
    return Words(f"{construct} is read but not analysed yet", "nothing is claimed about what depends on it")


RULE = Rule(
    name="not-understood",
    severity=Severity.INFORMATION,
    summary="A construct is read but not analysed yet.",
    rows=(),
    render=_render,
)
