"""Rule `swizzle-inherited`: a load or copy takes over the swizzle of its buffer (reference, D14, 5.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    swizzle = finding.args["swizzle"]
    pattern = r"[^;=]*?=\s*mma\s*\.\s*load(?=\s+[^.\s])()"
    fixes = replace(subject, f"Write '.swiz<{swizzle}>'", finding.span, pattern, f".swiz<{swizzle}>", safe=True)
    message = f"'{finding.args['buffer']}' is swizzled by {swizzle} bytes, which holds here as well"
    return Words(message, f"write '.swiz<{swizzle}>' to say so", fixes=fixes)


RULE = Rule(
    name="swizzle-inherited",
    severity=Severity.INFORMATION,
    summary="A load or copy takes over the swizzle of its buffer.",
    rows=("D14",),
    render=_render,
)
