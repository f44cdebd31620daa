"""Rule `multiply-unit`: a multiply stands at the wrong level of parallelism (reference, X05, 6.3)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    shape, needs, has = (finding.args[key] for key in ("shape", "needs", "has"))
    return Words(f"a multiply of {shape} needs ': {needs}', this is ': {has}'", "change the level or the tile")


RULE = Rule(
    name="multiply-unit",
    severity=Severity.ERROR,
    summary="A multiply stands at the wrong level of parallelism.",
    rows=("X05",),
    render=_render,
)
