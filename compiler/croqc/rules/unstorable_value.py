"""Rule `unstorable-value`: a string, a pointer or nothing is stored in a variable (reference, T07, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_HINTS = {
    "string": "write it where it is printed",
    "pointer": "pass it to 'call' where it is needed",
    "void": "write the call as a statement of its own",
}


def _render(finding: Finding, _: Subject) -> Words:
    type_ = str(finding.args["t"])
    return Words(f"a value of type '{type_}' cannot be stored in a variable", _HINTS.get(type_, ""))


RULE = Rule(
    name="unstorable-value",
    severity=Severity.ERROR,
    summary="A string, a pointer or nothing at all is stored in a variable.",
    rows=("T07",),
    render=_render,
)
