"""Rule `squeeze-place`: there is nothing to squeeze: no tile was cut before it (reference, V13, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(_finding: Finding, _: Subject) -> Words:
    return Words("'sqz' needs a 'subspan', 'span_as' or 'view' before it", "cut the tile first, then squeeze it")


RULE = Rule(
    name="squeeze-place",
    severity=Severity.ERROR,
    summary="There is nothing to squeeze: no tile was cut before it.",
    rows=("V13",),
    render=_render,
)
