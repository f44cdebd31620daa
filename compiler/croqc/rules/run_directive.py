"""Rule `run-directive`: a `// croq:` comment directive cannot be used. `syntax` and `service` find and word it."""

from __future__ import annotations

from croqc.rules.base import Rule
from croqc.text.diagnostics import Severity

RULE = Rule(
    name="run-directive",
    severity=Severity.ERROR,
    summary="A comment directive cannot be read, or names something that does not exist.",
    rows=(),
)
