"""Rule `fragment-reduce`: a fragment is reduced along another dimension than 1 (reference, X16, 6.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    message = f"a fragment cannot be reduced along dimension {finding.args['dim']}"
    return Words(message, "its rows lie in different warps; only dimension 1 is possible")


RULE = Rule(
    name="fragment-reduce",
    severity=Severity.ERROR,
    summary="A fragment is reduced along another dimension than 1.",
    rows=("X16",),
    render=_render,
)
