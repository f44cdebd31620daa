"""Rule `copy-modifier`: a modifier does not go with its copy (reference, D11, 1.4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import change
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name = finding.args["modifier"]
    fixes = change(f"Remove '.{name}'", finding.span, "")
    if finding.args["reason"] == "multicast":
        return Words(f"'.{name}' does not go with '.multicast'", "remove one of them", fixes=fixes)
    return Words(f"'.{name}' belongs to 'tma'", "remove it, or use 'tma'", fixes=fixes)


RULE = Rule(
    name="copy-modifier",
    severity=Severity.ERROR,
    summary="A modifier does not go with its copy.",
    rows=("D11",),
    render=_render,
)
