"""Rule `unused-allow`: a `// croq: allow` that suppresses nothing. `service.suppress` finds and words it."""

from __future__ import annotations

from croqc.rules.base import Rule
from croqc.text.diagnostics import Severity

RULE = Rule(
    name="unused-allow",
    severity=Severity.INFORMATION,
    summary="A directive allows a finding that does not occur.",
    rows=(),
)
