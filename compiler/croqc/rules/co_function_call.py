"""Rule `co-function-call`: a `__co__` function is called (reference, 4.6, 8.9)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name = finding.args["name"]
    return Words(
        f"'{name}' is a '__co__' function and cannot be called from another",
        "call a '__device__' function, or write its statements here",
    )


RULE = Rule(
    name="co-function-call",
    severity=Severity.ERROR,
    summary="A '__co__' function is called from another.",
    rows=(),
    render=_render,
)
