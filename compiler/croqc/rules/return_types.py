"""Rule `return-types`: the returned types of a function disagree (reference, P05, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    one, other = finding.args["t1"], finding.args["t2"]
    return Words(f"this returns '{one}', the result is '{other}'", "all returns of a function have one type")


RULE = Rule(
    name="return-types",
    severity=Severity.ERROR,
    summary="The returned types of a function disagree.",
    rows=("P05",),
    render=_render,
)
