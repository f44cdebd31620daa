"""Rule `level-unavailable`: the target does not have a level of parallelism (reference, L04, 4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words, listed
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    level, target, needs = (finding.args[key] for key in ("level", "target", "needs"))
    return Words(
        f"'{level}' needs {listed(needs, ' or ')}, the target is '{target}'", "remove the level, or pass --arch"
    )


RULE = Rule(
    name="level-unavailable",
    severity=Severity.ERROR,
    summary="The target does not have a level of parallelism.",
    rows=("L04",),
    render=_render,
)
