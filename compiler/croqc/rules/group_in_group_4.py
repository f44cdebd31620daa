"""Rule `group-in-group-4`: a warp level stands directly inside a warpgroup level (reference, L07, 4.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words("': group' cannot stand directly inside ': group-4'", "use one of the two; a group-4 is four groups")


RULE = Rule(
    name="group-in-group-4",
    severity=Severity.ERROR,
    summary="A warp level stands directly inside a warpgroup level.",
    rows=("L07",),
    render=_render,
)
