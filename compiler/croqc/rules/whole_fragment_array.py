"""Rule `whole-fragment-array`: an array of fragments is used as one (reference, X09, 6.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, count = finding.args["name"], finding.args["count"]
    return Words(f"'{name}' is an array of {count} fragments", f"choose one, for example '{name}[0]'")


RULE = Rule(
    name="whole-fragment-array",
    severity=Severity.ERROR,
    summary="An array of fragments is used as one.",
    rows=("X09",),
    render=_render,
)
