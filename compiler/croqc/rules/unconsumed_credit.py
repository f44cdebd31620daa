"""Rule `unconsumed-credit`: at the end, data was published that nobody took (credit-flow, section 4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_words import slot
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    args = finding.args
    message = f"generation {args['generation']} of {slot(args)} is published, but {args['path']} never waits for it"
    return Words(message, "trigger it as often as it is waited for")


RULE = Rule(
    name="unconsumed-credit",
    severity=Severity.WARNING,
    summary="Data is published that nobody waits for.",
    rows=(),
    render=_render,
)
