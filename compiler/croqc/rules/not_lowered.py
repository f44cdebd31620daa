"""Rule `not-lowered`: a construct that has no CUDA yet, or that the target cannot do. Raised by `croq cuda` alone."""

from __future__ import annotations

from croqc.rules.base import Rule, told_by_syntax
from croqc.text.diagnostics import Severity

RULE = Rule(
    name="not-lowered",
    severity=Severity.ERROR,
    summary="This construct is not lowered to CUDA, or the target cannot do it.",
    rows=(),
    render=told_by_syntax,
)
