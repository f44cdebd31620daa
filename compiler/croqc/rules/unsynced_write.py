"""Rule `unsynced-write`: a shared element is written that another warp may still have to read (reference, 4.6)."""

from __future__ import annotations

from croqc.rules.barrier_mends import barrier_between
from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    message = f"another thread may not have read this element of '{finding.args['name']}' yet"
    fixes = barrier_between(subject, finding.related[0].span, finding.span)
    if fixes:
        return Words(message, "let the threads wait for each other before the write: 'sync.shared;'", fixes=fixes)
    return Words(message, "read into a variable first, then 'sync.shared;', then write")


RULE = Rule(
    name="unsynced-write",
    severity=Severity.WARNING,
    summary="Shared memory is written that other threads may still have to read, without a barrier between.",
    rows=(),
    render=_render,
)
