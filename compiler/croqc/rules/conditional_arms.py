"""Rule `conditional-arms`: the two results of '?:' have different types (reference, T12, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    first, second = finding.args["t1"], finding.args["t2"]
    return Words(
        f"both results must have one type, got '{first}' and '{second}'", "convert one of them with '__to<T>(...)'"
    )


RULE = Rule(
    name="conditional-arms",
    severity=Severity.ERROR,
    summary="The two results of '?:' have different types.",
    rows=("T12",),
    render=_render,
)
