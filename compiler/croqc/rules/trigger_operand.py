"""Rule `trigger-operand`: something else than an event is triggered (reference, Q04, 7.3)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    found = str(finding.args["found"])
    hint = "wait for the future, then trigger an event" if "future" in found else "declare it 'shared event'"
    return Words(f"only events can be triggered, got '{found}'", hint)


RULE = Rule(
    name="trigger-operand",
    severity=Severity.ERROR,
    summary="Something else than an event is triggered.",
    rows=("Q04",),
    render=_render,
)
