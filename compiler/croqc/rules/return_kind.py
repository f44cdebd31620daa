"""Rule `return-kind`: a value is returned that cannot leave the function (reference, P04, 3.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_NAMES = {
    "shared": "'shared' memory",
    "local": "'local' memory",
    "view": "a view",
    "future": "a future",
    "placeholder": "a placeholder future",
    "bounded": "an index",
    "tuple": "a list of integers",
}


def _render(finding: Finding, _: Subject) -> Words:
    thing = _NAMES.get(str(finding.args["what"]), f"'{finding.args['t']}'")
    return Words(f"{thing} cannot be returned", "return a host buffer or a scalar")


RULE = Rule(
    name="return-kind",
    severity=Severity.ERROR,
    summary="A value is returned that cannot leave the function.",
    rows=("P04",),
    render=_render,
)
