"""Rule `no-shape`: something without a shape is asked for it (reference, S20)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_ASKED = {
    "|x|": "has no elements to count",
    "span": "has no '.span'",
    "pick": "has no dimensions to pick from",
    "[]": "cannot be subscripted",
    "{}": "has no items to derive a tuple from",
}


def _render(finding: Finding, _: Subject) -> Words:
    what, type_ = str(finding.args["what"]), finding.args["t"]
    return Words(f"a value of type '{type_}' {_ASKED[what]}", "only data, shapes and tuples have a shape")


RULE = Rule(
    name="no-shape",
    severity=Severity.ERROR,
    summary="Something without a shape is asked for it.",
    rows=("S20",),
    render=_render,
)
