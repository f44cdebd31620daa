"""Rule `generation-mixup`: arrivals of two generations are not ordered (credit-flow, sections 2 and 4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.credit_sites import code_of, site_at
from croqc.rules.credit_words import slot
from croqc.rules.race_mends import wait_of_others
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    args = finding.args
    generation = args["generation"]
    assert isinstance(generation, int)
    message = (
        f"{args['path']} can arrive for generation {generation} of {slot(args)}"
        f" before {args['other']} has arrived for generation {generation - 1}"
    )
    code = code_of(subject)
    site = site_at(code, finding.span)
    fixes = () if site is None else wait_of_others(code, site.event)
    hint = "give each of them an event of its own, or let the one wait for the other"
    if fixes and site is not None:
        hint = f"wait for '{site.event.name}' before the slot is used again"
    return Words(message, hint, fixes=fixes)


RULE = Rule(
    name="generation-mixup",
    severity=Severity.ERROR,
    summary="Arrivals of two generations of an event are not ordered.",
    rows=(),
    render=_render,
)
