"""Rule `not-analysed`: the credit flow of a kernel, or a part of it, could not be followed (credit-flow, section 1)."""

from __future__ import annotations

from croqc.flow.limit import OUTER_EVENT
from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_WAYS_OUT = {OUTER_EVENT: "declare it inside 'parallel' as 'shared event', if one block uses it"}


def _render(finding: Finding, _: Subject) -> Words:
    function = finding.args.get("function")
    if function:
        return Words(
            f"credit flow: not all of '{function}' is in sight, it is taken not to wait for others, nor to change sizes"
        )
    if finding.args.get("empty"):
        return Words("credit flow: this text is taken to do nothing")
    reason = str(finding.args["reason"])
    return Words(f"credit flow is not analysed: {reason}", _WAYS_OUT.get(reason, ""))


RULE = Rule(
    name="not-analysed",
    severity=Severity.INFORMATION,
    summary="The credit flow could not be followed here.",
    rows=(),
    render=_render,
)
