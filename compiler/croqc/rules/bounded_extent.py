"""Rule `bounded-extent`: the current value of an index is used as an extent (reference, S13, 3.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import insert, is_written
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    name = finding.args["x"]
    fixes = insert(f"Change to '#{name}'", finding.span.start, "#") if is_written(subject, finding.span) else ()
    return Words(f"'{name}' is the current value of the index here", f"did you mean its bound, '#{name}'?", fixes=fixes)


RULE = Rule(
    name="bounded-extent",
    severity=Severity.WARNING,
    summary="The current value of an index is used as an extent.",
    rows=("S13",),
    render=_render,
)
