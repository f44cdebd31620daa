"""Rule `preprocessor-error`: a directive or macro use is wrong. The preprocessor finds and words it."""

from __future__ import annotations

from croqc.rules.base import Rule
from croqc.text.diagnostics import Severity

RULE = Rule(
    name="preprocessor-error",
    severity=Severity.ERROR,
    summary="A directive or a macro use is wrong.",
    rows=(),
)
