"""Rule `event-outside-role`: several paths reach a `trigger` or `wait` outside every role (reference, Q03, 7.3)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    word, paths = finding.args["word"], finding.args["paths"]
    return Words(
        f"{paths} paths reach this '{word}': all threads take part; is that intended?",
        "put it into the 'inthreads' of one role",
    )


RULE = Rule(
    name="event-outside-role",
    severity=Severity.WARNING,
    summary="Several paths reach a `trigger` or `wait` outside every `inthreads`.",
    rows=("Q03",),
    render=_render,
)
