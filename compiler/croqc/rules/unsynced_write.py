"""Rule `unsynced-write`: a shared element is written that another warp may still have to read (reference, 4.6)."""

from __future__ import annotations

from croqc.rules.barrier_mends import barrier_between
from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, change, is_written
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Severity
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    message = f"another thread may not have read this element of '{finding.args['name']}' yet"
    if finding.args["update"]:
        message = f"threads change this element of '{finding.args['name']}' at once: all changes but one may be lost"
        if (better := _atomic(finding, subject)) is None:
            return Words(message, "let one thread do it: 'if (t == 0) …'")
        fix = change(f"Write '{better[1]}'", better[0], better[1]) if is_written(subject, finding.span) else ()
        return Words(message, f"write '{better[1]}'", fixes=fix)
    if not finding.args["shared"]:
        return Words(message, "write to another array; 'sync.shared' holds up the threads of one block only")
    fixes = barrier_between(subject, finding.related[0].span, finding.span)
    if fixes:
        return Words(message, "let the threads wait for each other before the write: 'sync.shared;'", fixes=fixes)
    return Words(message, "read into a variable first, then 'sync.shared;', then write")


def _atomic(finding: Finding, subject: Subject) -> tuple[Span, str] | None:
    """The atomic addition that `x.at(i) += v` is meant as, with the place of the statement without its semicolon."""
    for node in reversed(around(subject, finding.span)):
        if isinstance(node, ast.Assign) and len(node.parts) == 1 and node.parts[0].op == "+=":
            part = node.parts[0]
            text = f"__atomic_add({subject.slice(part.target.span)}, {subject.slice(part.value.span)})"
            return Span(part.target.span.start, part.value.span.end), text
    return None


RULE = Rule(
    name="unsynced-write",
    severity=Severity.WARNING,
    summary="Memory is written that other threads may still have to read, without a barrier between.",
    rows=(),
    render=_render,
)
