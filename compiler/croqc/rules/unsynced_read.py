"""Rule `unsynced-read`: an element of shared memory is read that another warp has just written (reference, 4.6)."""

from __future__ import annotations

from croqc.rules.barrier_mends import barrier_between
from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    message = f"this element of '{finding.args['name']}' is written by another thread, which may not have come so far"
    if not finding.args["shared"]:
        return Words(message, "pass it on in shared memory; 'sync.shared' holds up the threads of one block only")
    fixes = barrier_between(subject, finding.related[0].span, finding.span, turns=True)
    if fixes:
        return Words(message, "let the threads wait for each other in between: 'sync.shared;'", fixes=fixes)
    return Words(message, "no barrier stands where all threads come: read into a variable first, then 'sync.shared;'")


RULE = Rule(
    name="unsynced-read",
    severity=Severity.WARNING,
    summary="Memory is read that other threads write just before, without a barrier between.",
    rows=(),
    render=_render,
)
