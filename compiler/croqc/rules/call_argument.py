"""Rule `call-argument`: a value that C++ has no type for is passed to a device function (reference, P07, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import insert
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, subject: Subject) -> Words:
    type_, name = str(finding.args["t"]), finding.args["name"]
    message = f"'{type_}' cannot be passed to '{name}'"
    if type_.startswith("future of ") and subject.slice(finding.span).isidentifier():
        return Words(message, "pass its '.data'", fixes=insert("Pass its '.data'", finding.span.end, ".data"))
    if type_.split(" ")[0] in ("tuple", "shape", "index"):
        return Words(message, "pass its elements one by one")
    return Words(message, "pass buffers, numbers or 'nullptr'")


RULE = Rule(
    name="call-argument",
    severity=Severity.ERROR,
    summary="A value that C++ has no type for is passed to a device function.",
    rows=("P07",),
    render=_render,
)
