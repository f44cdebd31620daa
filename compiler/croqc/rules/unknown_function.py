"""Rule `unknown-function`: the file has no such device function, but a similar one (reference, P09, 4.6)."""

from __future__ import annotations

import re

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    name, near = str(finding.args["name"]), str(finding.args["near"])
    fixes = replace(subject, f"Change to '{near}'", finding.span, re.escape(name), near)
    return Words(f"no device function '{name}' in this file", f"did you mean '{near}'?", fixes=fixes)


RULE = Rule(
    name="unknown-function",
    severity=Severity.WARNING,
    summary="No device function of that name stands in the file, but a similar one does.",
    rows=("P09",),
    render=_render,
)
