"""Rule `syntax-error`: the text does not fit the grammar. The parser finds and words it; this is its registration."""

from __future__ import annotations

from croqc.rules.base import Rule
from croqc.text.diagnostics import Severity

RULE = Rule(
    name="syntax-error",
    severity=Severity.ERROR,
    summary="The text does not fit the grammar of the language.",
    rows=("D12",),
)
