"""Rule `mutable-non-scalar`: something other than a scalar is declared mutable (reference, T08, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, type_ = finding.args["name"], finding.args["t"]
    return Words(f"only scalars can be mutable; '{name}' is of type '{type_}'", "leave out 'mutable'")


RULE = Rule(
    name="mutable-non-scalar",
    severity=Severity.ERROR,
    summary="Something other than a scalar is declared mutable.",
    rows=("T08",),
    render=_render,
)
