"""Rule `call-at-host`: a device function is called outside the kernel (reference, P06, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    return Words(f"'{finding.args['name']}' runs only inside 'parallel'", "move the call into the kernel")


RULE = Rule(
    name="call-at-host",
    severity=Severity.ERROR,
    summary="A device function is called outside the kernel.",
    rows=("P06",),
    render=_render,
)
