"""Rule `copied-by-threads`: a `tma` copy that is no transfer on the card (reference, 5.5). Must not know who lowers.

Only what lowers raises it: `croq cuda` as a diagnostic, the engine `gpu` as a note of the run.
"""

from __future__ import annotations

from croqc.rules.base import Rule
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.span import Span


def note(reason: str, span: Span) -> Diagnostic:
    """What is said at such a copy; `span` is absolute."""
    return Diagnostic(
        RULE.name,
        RULE.severity,
        f"threads make this copy, for TMA cannot: {reason}",
        span,
        f"`croq explain {RULE.name}` says which views TMA can follow",
    )


RULE = Rule(
    name="copied-by-threads",
    severity=Severity.INFORMATION,
    summary="TMA cannot follow the views of this copy, so threads make it.",
    rows=(),
)
