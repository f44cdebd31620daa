"""Rule `view-of-non-data`: a view, element or copy is asked of something without elements (reference, V01, 3.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, type_, op = (str(finding.args[key]) for key in ("name", "t", "op"))
    if op == "data":
        return Words(f"'{name}' is '{type_}', it has no '.data'", "only the future of a copy has data")
    if op == "copy":
        return Words(f"'{type_}' cannot be copied", "a copy is from and to a buffer, a view or the data of a future")
    return Words(f"'{name}' has no elements to view", f"it is '{type_}', not a buffer or the future of a copy")


RULE = Rule(
    name="view-of-non-data",
    severity=Severity.ERROR,
    summary="A view, element or copy is asked of something without elements.",
    rows=("V01",),
    render=_render,
)
