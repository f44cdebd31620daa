"""Rule `not-lowered`: a construct that has no CUDA yet, or that the target cannot do. Must not know who lowers.

Only what lowers raises it: `croq cuda` as a diagnostic, the engine `gpu` and `croq dump` in its words.
"""

from __future__ import annotations

from croqc.rules.base import Rule
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.span import Span


def refused(message: str, span: Span) -> Diagnostic:
    """What is said of a construct; `span` is absolute."""
    return Diagnostic(RULE.name, RULE.severity, message, span, f"`croq explain {RULE.name}` says more")


RULE = Rule(
    name="not-lowered",
    severity=Severity.ERROR,
    summary="This construct is not lowered to CUDA, or the target cannot do it.",
    rows=(),
)
