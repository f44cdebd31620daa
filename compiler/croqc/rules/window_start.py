"""Rule `window-start`: a window starts behind the last element (reference, V07, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    offset, extent, dim = (finding.args[key] for key in ("offset", "extent", "d"))
    return Words(
        f"the window starts outside: at element {offset}, dimension {dim} has {extent}",
        "'.from' takes element offsets; '.at' behind 'subspan' takes tile numbers",
    )


RULE = Rule(
    name="window-start",
    severity=Severity.ERROR,
    summary="A window starts behind the last element.",
    rows=("V07",),
    render=_render,
)
