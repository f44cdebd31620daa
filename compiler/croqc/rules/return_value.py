"""Rule `return-value`: a value is missing or not wanted behind `return` (reference, P02, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.rewrites import replace
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    name, what = finding.args["name"], finding.args["what"]
    if what == "value-in-void":
        result = subject.analysis.model.function.result.span
        fixes = replace(subject, "Deduce the result with 'auto'", result, r"void\b", "auto")
        return Words(f"'{name}' is 'void' and cannot return a value", "declare it 'auto'", fixes=fixes)
    if what == "no-value":
        return Words(f"'{name}' must return a value", "write it behind 'return'")
    return Words(f"'{name}' has a result but no 'return'", "return it, or declare the function 'void'")


RULE = Rule(
    name="return-value",
    severity=Severity.ERROR,
    summary="A function returns nothing though it should, or something though it is `void`.",
    rows=("P02",),
    render=_render,
)
