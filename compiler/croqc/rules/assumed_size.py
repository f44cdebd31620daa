"""Rule `assumed-size`: an index stays inside its data for some sizes only (reference, 3.9 and 8.10)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.bound_guards import guarded
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    extent, least, tile, other, uses = (finding.args[key] for key in ("extent", "least", "tile", "other", "uses"))
    holds = f"{extent} >= {least if other is None else other}" if tile is None else f"{extent} % {tile} == 0"
    assert isinstance(uses, tuple)
    test = f"{subject.slice(finding.span)} < {extent}"
    hint = f"guard it: 'if ({test})'"
    if other is not None:
        return Words(f"in bounds only if {holds}", f"look whether the indices stand in the right order, else {hint}")
    return Words(f"in bounds only if {holds}", hint, fixes=guarded(subject, uses, test))


RULE = Rule(
    name="assumed-size",
    severity=Severity.INFORMATION,
    summary="An index stays inside its data for some sizes only.",
    rows=(),
    render=_render,
)
