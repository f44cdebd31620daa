"""Rule `tma-thread-index`: the place of a TMA tile depends on a thread (reference, D10, 5.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    message = f"the place of this TMA tile depends on '{finding.args['index']}', which differs between threads"
    return Words(message, "one thread issues the copy for all; use a block or loop index")


RULE = Rule(
    name="tma-thread-index",
    severity=Severity.ERROR,
    summary="The place of a TMA tile depends on a thread.",
    rows=("D10",),
    render=_render,
)
