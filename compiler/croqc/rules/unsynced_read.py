"""Rule `unsynced-read`: an element of shared memory is read that another warp has just written (reference, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    message = f"this element of '{finding.args['name']}' is written by another thread, which may not have come so far"
    return Words(message, "let the threads wait for each other in between: 'sync.shared;'")


RULE = Rule(
    name="unsynced-read",
    severity=Severity.WARNING,
    summary="Shared memory is read that other threads write just before, without a barrier between.",
    rows=(),
    render=_render,
)
