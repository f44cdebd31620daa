"""Rule `not-analysed`: the credit flow of a kernel, or a part of it, could not be followed (credit-flow, section 1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_EMPTY = "read as empty"
_WAYS_OUT = {
    "an event that is declared outside the kernel": (
        "declare it inside 'parallel' as 'shared event', if one block uses it"
    )
}


def _render(finding: Finding, _: Subject) -> Words:
    reason = str(finding.args["reason"])
    if reason == _EMPTY:
        return Words("credit flow: this text is taken to do nothing")
    if reason.endswith(_EMPTY):
        name = reason.removesuffix(_EMPTY).strip()
        return Words(f"credit flow: not all of {name} is in sight, it is taken not to wait for other threads")
    return Words(f"credit flow is not analysed: {reason}", _WAYS_OUT.get(reason, ""))


RULE = Rule(
    name="not-analysed",
    severity=Severity.INFORMATION,
    summary="The credit flow could not be followed here.",
    rows=(),
    render=_render,
)
